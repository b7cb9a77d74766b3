import { expect, test } from "bun:test";
import { ServiceError } from "../../src/domain/errors.ts";
import { Registry } from "../../src/metrics/registry.ts";
import type { Store } from "../../src/store/store.ts";
import { WebhookEngine } from "../../src/webhooks/webhook-engine.ts";
import { engine as database, makeDatabase } from "../support/database.ts";
import { Receiver } from "../support/receiver.ts";
import { startServiceOn } from "../support/service.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, fetchDeliveries, webhookOptions } from "../support/webhooks.ts";

test("while the event log cannot be read, an engine retries at intervals instead of in a busy loop", async () => {
  await using receiver = await Receiver.start(({ event }) => (event.subject === "pets/1" ? 500 : "hang"));
  const webhookDatabase = await makeDatabase(database);
  {
    const sharedDatabase = { ...webhookDatabase, [Symbol.asyncDispose]: async () => {} };
    await using service = await startServiceOn(sharedDatabase, { webhooks: webhookOptions });
    await addWebhook(service.client, receiver.url);
    await addPets(service.client, 1);
    await until(async () => (await fetchDeliveries(service.client)).length === 1);
  }
  await using service = await startServiceOn(webhookDatabase);
  const { client, store } = service;
  await addPets(client, 1);
  let [readCount, isDown] = [0, false];
  const events: Store["events"] = {
    ...eventsOf(store),
    async read(filter, after, limit) {
      readCount++;
      // Only a retry reads with limit 1.
      if (isDown || limit === 1) throw new Error("The database is away.");
      return await store.events.read(filter, after, limit);
    },
  };
  let warningCount = 0;
  await using engine = createEngine(
    { ...store, events },
    {},
    // With this clock, the retry of the first event is due. The receiver never responds to the second event.
    { checkIntervalMs: 600_000, clock: () => Date.now() + 60_000, note: () => warningCount++ },
  );
  engine.start();
  await until(() => warningCount > 0 && receiver.received.length > 1);
  isDown = true;
  await addPets(client, 1);
  for (let count = 0; count < 100; count++) await client.call("/v1/pets");
  expect(readCount).toBeLessThan(20);
});

test("an engine sends one event in each tick of the event loop, however many webhooks there are", async () => {
  await using service = await startServiceOn(
    await createDatabaseWithWebhooks(...Array(5).fill("https://shop.example/hooks")),
  );
  await addPets(service.client, 4);
  const ticks: number[] = [];
  let tick = 0;
  let next = setImmediate(function count() {
    tick++;
    next = setImmediate(count);
  });
  // Each delivery attempt begins with a look-up of the host name, which never ends here.
  const resolve = () => {
    ticks.push(tick);
    return new Promise<never>(() => {});
  };
  await using engine = createEngine(service.store, {}, { checkIntervalMs: 600_000, resolve });
  engine.start();
  await until(() => ticks.length === 20);
  clearImmediate(next);
  expect(new Set(ticks).size).toBe(20);
});

test("a service without a key for webhooks logs once that an enabled webhook gets no events", async () => {
  await using service = await startServiceOn(
    await createDatabaseWithWebhooks(...Array(2).fill("https://shop.example/hooks")),
  );
  await service.client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "disabled" } });
  const warnings = async () => {
    const { promise, resolve } = Promise.withResolvers<unknown[]>();
    await using engine = createEngine(service.store, {}, { key: undefined, note: (...logged) => resolve(logged) });
    engine.start();
    return await promise;
  };
  expect(await warnings()).toEqual([
    "warn",
    "webhooks get no events, because ANIMAL_STORE_WEBHOOK_KEY is not set",
    { webhook: 2 },
  ]);
});

test("a closing engine also releases webhooks whose secrets it cannot open", async () => {
  await using service = await startServiceOn(await makeDatabase(database));
  const webhooks = service.store.webhooks;
  const webhook = { url: "https://shop.example/hooks", types: "", description: null, createdAt: 1 };
  await webhooks.create(webhook, { sealed: "v1.sealed-with-another-key-that-is-unknown-here" }, undefined);
  const { promise: leased, resolve } = Promise.withResolvers<void>();
  // After its first check, the engine does not check again, so it keeps its leases until it closes.
  const engine = createEngine(
    service.store,
    {},
    { checkIntervalMs: 600_000, clock: () => 1000, note: () => resolve() },
  );
  engine.start();
  await leased;
  expect(await webhooks.acquireLeases("another", 1000, 2000, [])).toEqual([]);
  await engine.close();
  expect(await webhooks.acquireLeases("another", 1000, 2000, [])).toMatchObject([{ id: 1 }]);
});

test("a closing engine releases each webhook as soon as no delivery to it is in flight", async () => {
  const { promise: status, resolve: respond } = Promise.withResolvers<number>();
  await using slow = await Receiver.start(() => status);
  await using quick = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(slow.url, quick.url));
  const { webhooks } = service.store;
  const engine = createEngine(service.store, {}, { checkIntervalMs: 600_000, graceMs: 600_000, clock: () => 1000 });
  engine.start();
  await addPets(service.client, 1);
  await until(() => slow.received.length > 0 && quick.received.length > 0);
  const leasedByAnother = async () => {
    const leased = await webhooks.acquireLeases("another", 1000, 2000, []);
    return leased.map(({ id }) => id).sort();
  };
  const closing = engine.close();
  await until(async () => (await leasedByAnother()).length > 0);
  expect(await leasedByAnother()).toEqual([2]);
  respond(204);
  await closing;
  expect(await leasedByAnother()).toEqual([1, 2]);
});

test("an event that arrives while the worker of another webhook starts is delivered", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(receiver.url, receiver.url));
  const { store, client } = service;
  let noticeCount = 0;
  const unwatch = store.events.watch(() => noticeCount++);
  const { promise: continued, resolve: proceed } = Promise.withResolvers<void>();
  const begun: number[] = [];
  let readCount = 0;
  const events: Store["events"] = {
    ...store.events,
    async read(filter, after, limit) {
      const page = await store.events.read(filter, after, limit);
      readCount++;
      return page;
    },
  };
  const listParked = async (id: number) => {
    if (begun.push(id) > 1) await continued;
    return await store.webhooks.listParked(id);
  };
  await using engine = createEngine({ ...store, events }, { listParked }, { checkIntervalMs: 600_000 });
  engine.start();
  await until(() => begun.length > 1 && readCount > 0);
  await addPets(client, 1);
  await until(() => noticeCount > 0);
  proceed();
  await receiver.untilReceived(2);
  unwatch();
});

test("a closing engine saves nothing for a webhook without progress", async () => {
  await using service = await startServiceOn(await createDatabaseWithWebhooks("http://127.0.0.1:1/hooks"));
  const { store } = service;
  let [readCount, saveCount] = [0, 0];
  const events: Store["events"] = {
    ...store.events,
    async read(filter, after, limit) {
      const page = await store.events.read(filter, after, limit);
      readCount++;
      return page;
    },
  };
  const engine = createEngine(
    { ...store, events },
    {
      saveProgress(lease, progress) {
        saveCount++;
        return store.webhooks.saveProgress(lease, progress);
      },
    },
    { checkIntervalMs: 600_000, clock: () => 1000 },
  );
  engine.start();
  await until(() => readCount > 0);
  await engine.close();
  expect(saveCount).toBe(0);
  expect(await store.webhooks.acquireLeases("another", 1000, 2000, [])).toMatchObject([{ id: 1 }]);
});

test("a webhook engine that cannot save its progress delivers the events again at intervals, until it can", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [saveCount, isDown] = [0, true];
  await using engine = createEngine(
    store,
    {
      async saveProgress(lease, progress) {
        saveCount++;
        await new Promise(setImmediate);
        if (isDown) throw new Error("The database is away.");
        return await store.webhooks.saveProgress(lease, progress);
      },
    },
    { checkIntervalMs: 50 },
  );
  engine.start();
  await addPets(client, 1);
  await until(() => saveCount > 0);
  for (let count = 0; count < 100; count++) await client.call("/v1/pets");
  expect(saveCount).toBeLessThan(20);
  await receiver.untilReceived(2);
  isDown = false;
  await addPets(client, 1);
  await until(async () => (await fetchDeliveries(client)).length === 2);
  expect((await fetchDeliveries(client)).map(({ subject }) => subject).sort()).toEqual(["pets/1", "pets/2"]);
  expect(receiver.ids).toHaveLength(2);
});

test("the progress of a webhook is saved one record at a time, so that a position is not saved before earlier failures", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [inFlight, maxInFlight] = [0, 0];
  const metrics = new Registry();
  await using engine = createEngine(
    store,
    {
      async saveProgress(lease, progress) {
        maxInFlight = Math.max(maxInFlight, ++inFlight);
        await released;
        return await store.webhooks.saveProgress(lease, progress).finally(() => inFlight--);
      },
    },
    { metrics },
  );
  engine.start();
  await addPets(client, 1);
  await until(() => inFlight > 0);
  await addPets(client, 1);
  const deliveredPattern = /^animal_store_webhook_delivery_duration_seconds_count\{outcome="delivered"\} 2$/m;
  await until(async () => deliveredPattern.test(await metrics.render()));
  release();
  await until(async () => (await fetchDeliveries(client)).length === 2);
  expect(maxInFlight).toBe(1);
});

test("a failure to check webhooks is logged once, and again if checks have succeeded in between", async () => {
  await using service = await startServiceOn(await makeDatabase(database));
  const { store } = service;
  const warnings: string[] = [];
  let [checkCount, isDown] = [0, true];
  await using engine = createEngine(
    store,
    {
      async acquireLeases(owner, now, until, except) {
        checkCount++;
        if (isDown) throw new ServiceError("ServiceUnavailable", "Try again.", "The database is away.");
        return await store.webhooks.acquireLeases(owner, now, until, except);
      },
    },
    { note: (level, message, fields) => warnings.push(`${level}: ${message}: ${fields?.["cause"]}`) },
  );
  const untilChecked = async (count: number) => {
    const targetCount = checkCount + count;
    await until(() => checkCount >= targetCount);
  };
  engine.start();
  await untilChecked(5);
  const warning = "warn: webhooks could not be checked: The database is away.";
  expect(warnings).toEqual([warning]);
  isDown = false;
  await untilChecked(2);
  isDown = true;
  await untilChecked(5);
  expect(warnings).toEqual([warning, warning]);
});

test("an engine retries a webhook whose secret it could not open, because another service may have rotated the secret", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(receiver.url));
  const { client, store } = service;
  const sealed = (await store.webhooks.getSecrets(1))?.secret ?? "";
  const rotate = (secret: string) => store.webhooks.rotate(1, { at: 1, retiresAt: 1 }, { sealed: secret }, undefined);
  await rotate("v1.sealed-with-another-key-that-is-unknown-here");
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  await using engine = createEngine(store, {}, { checkIntervalMs: 1, note: () => resolve() });
  engine.start();
  await reported;
  await rotate(sealed);
  await addPets(client, 1);
  await receiver.untilReceived(1);
  expect(receiver.received[0]?.event.subject).toBe("pets/1");
});

test("an engine that cannot renew its leases sends nothing after they expire, because another engine may deliver by then", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await createDatabaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [checkCount, isDown, elapsedMs] = [0, false, 0];
  await using engine = createEngine(
    store,
    {
      async acquireLeases(owner, now, until, except) {
        checkCount++;
        if (isDown) throw new Error("The database is away.");
        return await store.webhooks.acquireLeases(owner, now, until, except);
      },
    },
    { stopwatch: () => elapsedMs },
  );
  engine.start();
  await addPets(client, 1);
  await receiver.untilReceived(1);
  isDown = true;
  elapsedMs += 10_000;
  await addPets(client, 1);
  // Each check sends the events that the engine may send; every third check renews the leases.
  const targetCount = checkCount + 5;
  await until(() => checkCount >= targetCount);
  expect(receiver.received).toHaveLength(1);
  isDown = false;
  await receiver.untilReceived(2);
});

/** Returns a copy of the event log, whose methods a test can replace. */
function eventsOf({ events }: Store): Store["events"] {
  return {
    read: (filter, after, limit) => events.read(filter, after, limit),
    readBackwards: (filter, from, limit) => events.readBackwards(filter, from, limit),
    idAt: (position) => events.idAt(position),
    ends: () => events.ends(),
    watch: (onMore) => events.watch(onMore),
  };
}

/** Returns an engine on a store with some webhook methods replaced. The stopwatch stands still, so leases do not expire. */
function createEngine(
  store: Store,
  webhooks: Partial<Store["webhooks"]>,
  parts: Partial<ConstructorParameters<typeof WebhookEngine>[0]>,
): WebhookEngine & AsyncDisposable {
  const engine = new WebhookEngine({
    ...webhookOptions,
    store: { ...store, webhooks: { ...store.webhooks, ...webhooks } },
    clock: Date.now,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
    ...parts,
  });
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}

/** Returns a database with webhooks, for a service that has no engine of its own. */
async function createDatabaseWithWebhooks(...urls: readonly string[]) {
  const webhookDatabase = await makeDatabase(database);
  const sharedDatabase = { ...webhookDatabase, [Symbol.asyncDispose]: async () => {} };
  await using service = await startServiceOn(sharedDatabase, { webhooks: webhookOptions });
  for (const url of urls) await addWebhook(service.client, url);
  return webhookDatabase;
}
