import { expect, test } from "bun:test";
import { ServiceError } from "../../src/domain/errors.ts";
import { Registry } from "../../src/metrics/registry.ts";
import type { Store } from "../../src/store/store.ts";
import { WebhookEngine } from "../../src/webhooks/webhook-engine.ts";
import { engine as database, makeDatabase } from "../support/database.ts";
import { Receiver } from "../support/receiver.ts";
import { startServiceOn } from "../support/service.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, deliveriesOf, getWebhook, webhookOptions } from "../support/webhooks.ts";

test("while the log cannot be read, it is asked for now and then, and not on and on", async () => {
  await using receiver = await Receiver.start(({ event }) => (event.subject === "pets/1" ? 500 : "hang"));
  const made = await makeDatabase(database);
  {
    const keep = { ...made, [Symbol.asyncDispose]: async () => {} };
    await using service = await startServiceOn(keep, { webhooks: webhookOptions });
    await addWebhook(service.client, receiver.url);
    await addPets(service.client, 1);
    await until(async () => (await deliveriesOf(service.client)).length === 1);
  }
  await using service = await startServiceOn(made);
  const { client, store } = service;
  await addPets(client, 1);
  let [reads, isDown] = [0, false];
  const events: Store["events"] = {
    ...eventsOf(store),
    async read(filter, after, limit) {
      reads++;
      // What is to be sent again is read alone.
      if (isDown || limit === 1) throw new Error("The database is away.");
      return await store.events.read(filter, after, limit);
    },
  };
  let complaints = 0;
  const engine = new WebhookEngine({
    ...webhookOptions,
    checkIntervalMs: 600_000,
    store: { ...store, webhooks: store.webhooks, events },
    // The first event is due again, and the second will never be answered.
    clock: () => Date.now() + 60_000,
    // The leases last however slow the machine is.
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => complaints++,
  });
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await until(() => complaints > 0 && receiver.received.length > 1);
  isDown = true;
  await addPets(client, 1);
  for (let turn = 0; turn < 100; turn++) await client.call("/v1/pets");
  expect(reads).toBeLessThan(20);
});

test("events are sent one in each turn of the event loop, however many webhooks they go to", async () => {
  const made = await makeDatabase(database);
  {
    const keep = { ...made, [Symbol.asyncDispose]: async () => {} };
    await using service = await startServiceOn(keep, { webhooks: webhookOptions });
    for (let count = 0; count < 5; count++) await addWebhook(service.client, "https://shop.example/hooks");
  }
  await using service = await startServiceOn(made);
  await addPets(service.client, 4);
  const turns: number[] = [];
  let turn = 0;
  let next = setImmediate(function count() {
    turn++;
    next = setImmediate(count);
  });
  const engine = new WebhookEngine({
    ...webhookOptions,
    checkIntervalMs: 600_000,
    store: service.store,
    // Each attempt begins with this, and comes no further.
    resolve: () => {
      turns.push(turn);
      return new Promise(() => {});
    },
    clock: Date.now,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
  });
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await until(() => turns.length === 20);
  clearImmediate(next);
  expect(new Set(turns).size).toBe(20);
});

test("a service without a key for webhooks says once that those who are enabled get nothing", async () => {
  const made = await makeDatabase(database);
  {
    const keep = { ...made, [Symbol.asyncDispose]: async () => {} };
    await using service = await startServiceOn(keep, { webhooks: webhookOptions });
    for (let count = 0; count < 2; count++) await addWebhook(service.client, "https://shop.example/hooks");
    await service.client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "disabled" } });
  }
  await using service = await startServiceOn(made);
  const warnings = async () => {
    const { promise, resolve } = Promise.withResolvers<unknown[]>();
    const engine = new WebhookEngine({
      store: service.store,
      clock: Date.now,
      stopwatch: Date.now,
      metrics: new Registry(),
      note: (...said) => resolve(said),
    });
    engine.start();
    const said = await promise;
    await engine.close();
    return said;
  };
  expect(await warnings()).toEqual([
    "warn",
    "webhooks get no events, because ANIMAL_STORE_WEBHOOK_KEY is not set",
    { webhook: 2 },
  ]);
});

test("a service that ends gives back also those webhooks that it could not deliver to", async () => {
  await using service = await startServiceOn(await makeDatabase(database));
  const webhooks = service.store.webhooks;
  const webhook = { url: "https://shop.example/hooks", types: "", description: null, createdAt: 1 };
  await webhooks.create(webhook, { sealed: "v1.sealed-with-another-key-that-nobody-has-here" }, undefined);
  const { promise: isLeased, resolve } = Promise.withResolvers<void>();
  const engine = new WebhookEngine({
    ...webhookOptions,
    // It looks once, so that it has what it leased until it ends.
    checkIntervalMs: 600_000,
    store: service.store,
    clock: () => 1000,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => resolve(),
  });
  engine.start();
  await isLeased;
  expect(await webhooks.acquireLeases("another", 1000, 2000, [])).toEqual([]);
  await engine.close();
  expect(await webhooks.acquireLeases("another", 1000, 2000, [])).toMatchObject([{ id: 1 }]);
});

test("a service that ends gives back each webhook as soon as nothing is under way for it", async () => {
  const { promise: isOver, resolve: answer } = Promise.withResolvers<number>();
  await using slow = await Receiver.start(() => isOver);
  await using quick = await Receiver.start();
  await using service = await startServiceOn(await databaseWithWebhooks(slow.url, quick.url));
  const { webhooks } = service.store;
  const engine = new WebhookEngine({
    ...webhookOptions,
    checkIntervalMs: 600_000,
    graceMs: 600_000,
    store: service.store,
    clock: () => 1000,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
  });
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
  answer(204);
  await closing;
  expect(await leasedByAnother()).toEqual([1, 2]);
});

test("what comes while other webhooks are begun with is sent, although somebody else was told of it before", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url, receiver.url));
  const { store, client } = service;
  let told = 0;
  const unwatch = store.events.watch(() => told++);
  const { promise: isContinued, resolve: goOn } = Promise.withResolvers<void>();
  const begun: number[] = [];
  let reads = 0;
  const events: Store["events"] = {
    ...store.events,
    async read(filter, after, limit) {
      const page = await store.events.read(filter, after, limit);
      reads++;
      return page;
    },
  };
  const engine = new WebhookEngine({
    ...webhookOptions,
    checkIntervalMs: 600_000,
    store: {
      ...store,
      events,
      webhooks: {
        ...store.webhooks,
        async listParked(id) {
          if (begun.push(id) > 1) await isContinued;
          return await store.webhooks.listParked(id);
        },
      },
    },
    clock: Date.now,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
  });
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await until(() => begun.length > 1 && reads > 0);
  await addPets(client, 1);
  await until(() => told > 0);
  goOn();
  await receiver.untilReceived(2);
  unwatch();
});

test("a service that ends writes nothing for a webhook without news, and gives it back though a connection was lost", async () => {
  await using service = await startServiceOn(await databaseWithWebhooks("http://127.0.0.1:1/hooks"));
  const { store } = service;
  let [reads, records, releases] = [0, 0, 0];
  const engine = new WebhookEngine({
    ...webhookOptions,
    checkIntervalMs: 600_000,
    store: {
      ...store,
      events: {
        ...store.events,
        async read(filter, after, limit) {
          const page = await store.events.read(filter, after, limit);
          reads++;
          return page;
        },
      },
      webhooks: {
        ...store.webhooks,
        saveProgress(lease, progress) {
          records++;
          return store.webhooks.saveProgress(lease, progress);
        },
        async releaseLeases(owner, except) {
          if (releases++ === 0) throw new Error("The connection was lost.");
          await store.webhooks.releaseLeases(owner, except);
        },
      },
    },
    clock: () => 1000,
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
  });
  engine.start();
  await until(() => reads > 0);
  await engine.close();
  expect(records).toBe(0);
  expect(await store.webhooks.acquireLeases("another", 1000, 2000, [])).toMatchObject([{ id: 1 }]);
});

test("while nothing can be recorded, that is tried now and then, and not on and on; then nothing is missing", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [tries, isDown] = [0, true];
  const engine = engineOn(
    store,
    {
      async saveProgress(lease, progress) {
        tries++;
        await new Promise(setImmediate);
        if (isDown) throw new Error("The database is away.");
        return await store.webhooks.saveProgress(lease, progress);
      },
    },
    { checkIntervalMs: 600_000 },
  );
  engine.start();
  await addPets(client, 1);
  await until(() => tries > 0);
  for (let turn = 0; turn < 100; turn++) await client.call("/v1/pets");
  expect(tries).toBeLessThan(20);
  isDown = false;
  await addPets(client, 1);
  await receiver.untilReceived(2);
  await engine.close();
  expect((await deliveriesOf(client)).map(({ subject }) => subject).sort()).toEqual(["pets/1", "pets/2"]);
});

test("what came of a retry is recorded when the service ends, if it could not be before", async () => {
  await using receiver = await Receiver.start(() => 500);
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [tries, isDown, now] = [0, false, Date.now()];
  const engine = engineOn(
    store,
    {
      async saveProgress(lease, progress) {
        tries++;
        if (isDown) throw new Error("The database is away.");
        return await store.webhooks.saveProgress(lease, progress);
      },
    },
    { clock: () => now },
  );
  engine.start();
  await addPets(client, 1);
  await until(async () => (await deliveriesOf(client)).length === 1);
  isDown = true;
  tries = 0;
  receiver.answerWith(() => 204);
  now += 24 * 3_600_000;
  await receiver.untilReceived(2);
  await until(() => tries > 0);
  // From here on, nothing but the end itself tries again.
  const closing = engine.close();
  isDown = false;
  await closing;
  const deliveries = await deliveriesOf(client);
  expect(deliveries.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
    [2, "delivered"],
    [1, "failed"],
  ]);
});

test("one record of a webhook is made at a time, also of why it is disabled, so that none that fails undoes a later one", async () => {
  const [answer, failure] = [Promise.withResolvers<number>(), Promise.withResolvers<never>()];
  await using receiver = await Receiver.start(() => answer.promise);
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [isReplaced, underWay, most, records] = [false, 0, 0, 0];
  const metrics = new Registry();
  const engine = engineOn(
    {
      ...store,
      events: {
        ...eventsOf(store),
        idAt: (position) => (isReplaced ? "evt_of_another_log" : store.events.idAt(position)),
      },
    },
    {
      async saveProgress(lease, progress) {
        most = Math.max(most, ++underWay);
        const isFirst = records++ === 0;
        return await (isFirst ? failure.promise : store.webhooks.saveProgress(lease, progress)).finally(
          () => underWay--,
        );
      },
    },
    { metrics },
  );
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await addPets(client, 1);
  await receiver.untilReceived(1);
  isReplaced = true;
  await addPets(client, 1);
  await until(() => records === 1);
  answer.resolve(204);
  const delivered = /^animal_store_webhook_delivery_duration_seconds_count\{outcome="delivered"\} 1$/m;
  await until(async () => delivered.test(await metrics.text()));
  failure.reject(new Error("The database is away."));
  await until(async () => (await getWebhook(client)).status === "disabled");
  expect(most).toBe(1);
  expect(await deliveriesOf(client)).toMatchObject([{ subject: "pets/1", outcome: "delivered" }]);
});

test("that webhooks cannot be checked is told once, and again after it went well meanwhile", async () => {
  await using service = await startServiceOn(await makeDatabase(database));
  const { store } = service;
  const told: string[] = [];
  let [looks, isDown] = [0, true];
  const engine = engineOn(
    store,
    {
      async acquireLeases(owner, now, until, except) {
        looks++;
        if (isDown) throw new ServiceError("ServiceUnavailable", "Try again.", "The database is away.");
        return await store.webhooks.acquireLeases(owner, now, until, except);
      },
    },
    { note: (level, message, fields) => told.push(`${level}: ${message}: ${fields?.["cause"]}`) },
  );
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  const moreLooks = async (count: number) => {
    const enough = looks + count;
    await until(() => looks >= enough);
  };
  engine.start();
  await moreLooks(5);
  const complaint = "warn: webhooks could not be checked: The database is away.";
  expect(told).toEqual([complaint]);
  isDown = false;
  await moreLooks(2);
  isDown = true;
  await moreLooks(5);
  expect(told).toEqual([complaint, complaint]);
});

test("a webhook whose secret could not be opened is tried again, since another service may have rotated it", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url));
  const { client, store } = service;
  const sealed = (await store.webhooks.getSecrets(1))?.secret ?? "";
  const rotate = (secret: string) => store.webhooks.rotate(1, { at: 1, retiresAt: 1 }, { sealed: secret }, undefined);
  await rotate("v1.sealed-with-another-key-that-nobody-has-here");
  const { promise: isRefused, resolve } = Promise.withResolvers<void>();
  const engine = engineOn(store, {}, { checkIntervalMs: 1, note: () => resolve() });
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await isRefused;
  await rotate(sealed);
  await addPets(client, 1);
  await receiver.untilReceived(1);
  expect(receiver.received[0]?.event.subject).toBe("pets/1");
});

test("a service that cannot renew its leases sends nothing once they are over, since another may deliver by then", async () => {
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await databaseWithWebhooks(receiver.url));
  const { client, store } = service;
  let [looks, isDown, passed] = [0, false, 0];
  const engine = engineOn(
    store,
    {
      async acquireLeases(owner, now, until, except) {
        looks++;
        if (isDown) throw new Error("The database is away.");
        return await store.webhooks.acquireLeases(owner, now, until, except);
      },
    },
    { stopwatch: () => passed },
  );
  await using _ = { [Symbol.asyncDispose]: () => engine.close() };
  engine.start();
  await addPets(client, 1);
  await receiver.untilReceived(1);
  isDown = true;
  passed += 10_000;
  await addPets(client, 1);
  // It looks with every third of its ticks, and sends what it may with each of them.
  const enough = looks + 5;
  await until(() => looks >= enough);
  expect(receiver.received).toHaveLength(1);
  isDown = false;
  await receiver.untilReceived(2);
});

/** A copy, of which something can be replaced. */
function eventsOf({ events }: Store): Store["events"] {
  return {
    read: (filter, after, limit) => events.read(filter, after, limit),
    readBackwards: (filter, from, limit) => events.readBackwards(filter, from, limit),
    idAt: (position) => events.idAt(position),
    ends: () => events.ends(),
    watch: (onMore) => events.watch(onMore),
  };
}

/** Delivers from the store, of which some that has to do with webhooks is done otherwise. */
function engineOn(
  store: Store,
  webhooks: Partial<Store["webhooks"]>,
  parts: Partial<ConstructorParameters<typeof WebhookEngine>[0]>,
): WebhookEngine {
  return new WebhookEngine({
    ...webhookOptions,
    store: { ...store, webhooks: { ...store.webhooks, ...webhooks } },
    clock: Date.now,
    // The leases last however slow the machine is.
    stopwatch: () => 0,
    metrics: new Registry(),
    note: () => {},
    ...parts,
  });
}

/** For a service that has no engine of its own, so that a test can have one. */
async function databaseWithWebhooks(...urls: readonly string[]) {
  const made = await makeDatabase(database);
  const keep = { ...made, [Symbol.asyncDispose]: async () => {} };
  await using service = await startServiceOn(keep, { webhooks: webhookOptions });
  for (const url of urls) await addWebhook(service.client, url);
  return made;
}
