import { expect, spyOn, test } from "bun:test";
import type { EventType, LoggedEvent } from "../../src/domain/event.ts";
import { cursorAfter, encodeEventCursor } from "../../src/domain/event-cursor.ts";
import type { Store } from "../../src/store/store.ts";
import type { Client } from "../support/client.ts";
import { nextPageOf } from "../support/client.ts";
import { engine, makeDatabase } from "../support/database.ts";
import { untilLogged } from "../support/history.ts";
import { isSignedWith, type Received, Receiver } from "../support/receiver.ts";
import { startService, startServiceOn } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";
import {
  addPetBatch,
  addPets,
  addWebhook,
  fetchDeliveries,
  getWebhook,
  renamePet,
  webhookOptions,
} from "../support/webhooks.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const startTime = Date.UTC(2027, 0, 1);
const petTypes = ["pet.created", "pet.updated", "pet.deleted"];

/** Returns a time that the test can change, and options of a service whose clock shows that time. */
function withMovableClock() {
  const time = { now: startTime };
  return { time, parts: { clock: () => time.now, webhooks: webhookOptions } };
}

/** Starts a receiver, and a service that may send webhooks to it. */
async function startReceiverAndService(react?: Parameters<typeof Receiver.start>[0], parts = {}) {
  const receiver = await Receiver.start(react);
  const service = await startService({ webhooks: webhookOptions, ...parts });
  const { client, store, database } = service;
  return {
    ...{ receiver, service, client, store, database },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

async function startWithClock(react?: Parameters<typeof Receiver.start>[0]) {
  const { time, parts } = withMovableClock();
  return { time, ...(await startReceiverAndService(react, parts)) };
}

const it = testWith(() => startReceiverAndService());

async function readLog(store: Store, types = petTypes): Promise<LoggedEvent[]> {
  await untilLogged(store);
  const { events } = store;
  const all: LoggedEvent[] = [];
  for (let size = -1; all.length > size; ) {
    size = all.length;
    const page = await events.read({ types: types as EventType[] }, all.at(-1)?.position ?? 0, 500);
    all.push(...page.events);
  }
  return all;
}

function holdReads({ events }: Store): Disposable {
  const read = events.read.bind(events);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held = spyOn(events, "read").mockImplementation(async (...range) => {
    await released;
    return await read(...range);
  });
  return {
    [Symbol.dispose]() {
      held.mockRestore();
      release();
    },
  };
}

function groupBySubject(
  events: readonly { readonly id: string; readonly subject: string }[],
): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const { id, subject } of events) {
    const ids = grouped[subject] ?? [];
    if (!ids.includes(id)) ids.push(id);
    grouped[subject] = ids;
  }
  return grouped;
}

const eventsOf = (received: readonly Received[]) => received.map(({ event }) => event);

it("repeated requests to create a webhook, replay its events or retry a delivery send no event again", async (at) => {
  const { receiver, client } = at;
  const once = (path: string, body: object) =>
    client.call(path, { headers: { "Idempotency-Key": "once" }, body: body as Record<string, unknown> });
  const create = () => once("/v1/webhooks", { url: receiver.url, types: petTypes });
  const replay = () => once("/v1/webhooks/1/replay", { from: "end" });
  const retry = () => once("/v1/webhooks/1/deliveries/1/retry", {});
  expect((await create()).status).toBe(201);
  expect((await replay()).status).toBe(200);
  await addPets(client, 1);
  await until(async () => (await fetchDeliveries(client)).length === 1);
  expect((await retry()).status).toBe(200);
  await until(async () => (await fetchDeliveries(client)).length === 2);
  receiver.respondWith(({ event }) => (event.subject === "pets/2" ? "hang" : 204));
  await addPets(client, 1);
  await receiver.untilReceived(3);
  for (const repeat of [create, replay, retry]) {
    expect((await repeat()).headers.get("Idempotent-Replayed")).toBe("true");
  }
  await addPets(client, 1);
  await until(async () => (await fetchDeliveries(client)).length === 3);
  expect(eventsOf(receiver.received).map(({ subject }) => subject)).toEqual(["pets/1", "pets/1", "pets/2", "pets/3"]);
});

it("a webhook sends the bytes in the event log, with a signature that the official library accepts", async (at) => {
  const { receiver, client, store } = at;
  const { secret } = await addWebhook(client, `${receiver.url}?shop=1`, petTypes);
  await addPets(client, 1);
  await renamePet(client, 1, "Rex 🐈");
  await receiver.untilReceived(2);
  const bodies = receiver.received.map(({ body }) => body);
  expect(bodies).toEqual((await readLog(store)).map(({ body }) => body));
  for (const received of receiver.received) {
    expect(received.path).toBe("/hooks?shop=1");
    expect(received.headers).toMatchObject({ "content-type": "application/json", "webhook-id": received.event.id });
    expect(isSignedWith(secret, received)).toBe(true);
    expect(isSignedWith(secret, { ...received, body: `${received.body} ` })).toBe(false);
    expect(isSignedWith(`whsec_${Buffer.alloc(32).toString("base64")}`, received)).toBe(false);
  }
});

it("deliveries are signed with both secrets during the overlap of a rotation, and then with the new one alone", async (at) => {
  const { receiver, client } = at;
  const first = await addWebhook(client, receiver.url);
  const rotate = async (body: object) =>
    (await client.call("/v1/webhooks/1/rotate", { body })).json as { secret: string };
  const second = await rotate({});
  await addPets(client, 1);
  await receiver.untilReceived(1);
  const third = await rotate({ overlapSeconds: 0 });
  const signers = (received: Received) => [first, second, third].map(({ secret }) => isSignedWith(secret, received));
  expect(receiver.received.map(signers)).toEqual(receiver.received.map(() => [true, true, false]));
  // The engine applies a rotation a moment later, so the test waits for the first event that only the third secret signs.
  await until(async () => {
    await addPets(client, 1);
    return receiver.received.some((received) => signers(received)[2]);
  });
  const signed = receiver.received.slice(receiver.received.findIndex((received) => signers(received)[2]));
  expect(signed.map(signers)).toEqual(signed.map(() => [false, false, true]));
});

it("test events are signed like other events during a rotation", async ({ receiver, client }) => {
  const send = async (action: string, body: object) =>
    (await client.call(`/v1/webhooks/1/${action}`, { body: body as Record<string, unknown> })).json;
  const first = await addWebhook(client, receiver.url);
  const second = (await send("rotate", {})) as { secret: string };
  await send("test", {});
  const third = (await send("rotate", { overlapSeconds: 0 })) as { secret: string };
  await send("test", {});
  const signers = (received: Received) => [first, second, third].map(({ secret }) => isSignedWith(secret, received));
  expect(receiver.received.map(signers)).toEqual([
    [true, true, false],
    [false, false, true],
  ]);
});

it("a webhook sends only events of its types", async ({ receiver, client }) => {
  await addWebhook(client, receiver.url, ["pet.deleted"]);
  await addPets(client, 120);
  await client.call("/v1/pets/7", { method: "DELETE" });
  await receiver.untilReceived(1);
  expect(eventsOf(receiver.received)).toMatchObject([{ type: "pet.deleted", subject: "pets/7" }]);
});

test("a webhook also sends events from a time when the service was not running", async () => {
  await using receiver = await Receiver.start();
  await using database = await makeDatabase(engine);
  const sharedDatabase = { ...database, [Symbol.asyncDispose]: async () => {} };
  {
    await using service = await startServiceOn(sharedDatabase, { webhooks: webhookOptions });
    await addWebhook(service.client, receiver.url);
    await addPets(service.client, 1);
    await receiver.untilReceived(1);
  }
  {
    await using service = await startServiceOn(sharedDatabase);
    await addPets(service.client, 3);
  }
  await using service = await startServiceOn(sharedDatabase, { webhooks: webhookOptions });
  await until(() => receiver.ids.length === 4);
  expect(receiver.ids).toEqual((await readLog(service.store)).map(({ id }) => id));
  expect(receiver.received).toHaveLength(4);
});

test("a starting service delivers to all webhooks at once, even if one lease request does not return all of them", async () => {
  await using receiver = await Receiver.start();
  await using database = await makeDatabase(engine);
  const sharedDatabase = { ...database, [Symbol.asyncDispose]: async () => {} };
  const paths = Array.from({ length: 20 }, (_, n) => `/hooks?n=${n}`);
  {
    await using service = await startServiceOn(sharedDatabase, { webhooks: webhookOptions });
    for (const path of paths) await addWebhook(service.client, new URL(path, receiver.url).href);
  }
  const later = Date.now() + hourMs;
  await using service = await startServiceOn(sharedDatabase, {
    clock: () => later,
    webhooks: { ...webhookOptions, checkIntervalMs: 600_000 },
  });
  await addPets(service.client, 1);
  await receiver.untilReceived(paths.length);
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(paths.sort());
});

test("a receiver that hangs gets eight events at a time, and delays no other webhook", async () => {
  await using hanging = await Receiver.start(() => "hang");
  await using healthy = await Receiver.start();
  await using service = await startService({ webhooks: webhookOptions });
  await addWebhook(service.client, hanging.url);
  await addWebhook(service.client, healthy.url);
  await addPets(service.client, 40);
  await healthy.untilReceived(40);
  await hanging.untilReceived(8);
  await addPets(service.client, 10);
  await healthy.untilReceived(50);
  expect(hanging.received).toHaveLength(8);
  expect(groupBySubject(eventsOf(healthy.received))).toEqual(groupBySubject(await readLog(service.store)));
});

test("a receiver that hangs on retries still gets new events", async () => {
  await using started = await startWithClock(() => 500);
  const { time, receiver, client } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 8);
  await untilRecorded(client, 8);
  receiver.respondWith(({ event }) => (event.subject === "pets/9" ? 204 : "hang"));
  time.now += hourMs;
  await receiver.untilReceived(12);
  await addPets(client, 1);
  await until(() => receiver.received.some(({ event }) => event.subject === "pets/9"));
  expect(receiver.received).toHaveLength(13);
});

test("a receiver that does not respond in time causes a failed delivery", async () => {
  await using receiver = await Receiver.start(() => "hang");
  await using service = await startService({ webhooks: { ...webhookOptions, responseTimeoutMs: 50 } });
  await addWebhook(service.client, receiver.url);
  await addPets(service.client, 1);
  await until(async () => (await fetchDeliveries(service.client)).length > 0);
  expect((await fetchDeliveries(service.client)).at(-1)).toMatchObject({
    outcome: "failed",
    responseStatus: null,
    error: "The receiver did not answer within 0.05 seconds.",
    attempt: 1,
  });
});

test("a receiver that fails an event of an animal gets later events of that animal only after a retry, and all others at once", async () => {
  await using started = await startWithClock(({ event }) => (event.subject === "pets/1" ? 500 : 204));
  const { time, receiver, client, store } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 3);
  for (const name of ["a", "b", "c"]) for (const id of [1, 2, 3]) await renamePet(client, id, name);
  await until(() => receiver.received.filter(({ event }) => event.subject !== "pets/1").length === 8);
  const all = groupBySubject(await readLog(store));
  const receivedIds = groupBySubject(eventsOf(receiver.received));
  expect(receivedIds).toEqual({ ...all, "pets/1": all["pets/1"]?.slice(0, 1) ?? [] });
  receiver.respondWith(() => 204);
  await untilRecorded(client, 9);
  time.now += 6_000;
  await until(() => receiver.ids.length === 12);
  expect(groupBySubject(eventsOf(receiver.received))).toEqual(all);
  const tries = receiver.received.filter(({ event }) => event.id === all["pets/1"]?.[0]);
  expect(tries).toHaveLength(2);
  expect(tries[0]?.body).toBe(tries[1]?.body ?? "");
  await until(async () => (await getWebhook(client)).failingSince === null);
});

test("a receiver that has failed for a day gets all events soon after a success, in order for each animal", async () => {
  await using started = await startWithClock(() => 503);
  const { time, receiver, client, store } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 5);
  await until(() => receiver.ids.length === 5);
  await untilRecorded(client, 5);
  for (let hour = 0; hour < 24; hour++) {
    time.now += hourMs;
    await renamePet(client, 1 + (hour % 5), `hour ${hour}`);
  }
  const attemptCount = receiver.received.length;
  // A day later, the next attempt is due, whatever the number of attempts so far.
  time.now += dayMs;
  await until(() => receiver.received.length > attemptCount);
  expect(receiver.ids).toHaveLength(5);
  await until(async () => (await getWebhook(client)).failingSince !== null);
  const accepted: Received[] = [];
  receiver.respondWith((received) => {
    accepted.push(received);
    return 204;
  });
  // The next retry of each event is hours away; after one success, the other events are retried at once.
  const [last] = await fetchDeliveries(client);
  await client.call(`/v1/webhooks/1/deliveries/${last?.id}/retry`, { method: "POST" });
  const all = groupBySubject(await readLog(store));
  await until(() => new Set(accepted.map(({ event }) => event.id)).size === 29);
  expect(groupBySubject(eventsOf(accepted))).toEqual(all);
  await until(async () => (await getWebhook(client)).failingSince === null);
  expect((await getWebhook(client)).status).toBe("enabled");
});

test("a receiver that fails for six minutes gets the failed events after its first success, not half an hour later", async () => {
  await using started = await startWithClock(() => 503);
  const { time, receiver, client } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 1);
  await untilRecorded(client, 1);
  time.now += 6_000;
  await untilRecorded(client, 2);
  time.now += 6 * minuteMs;
  await untilRecorded(client, 3);
  receiver.respondWith(() => 204);
  await addPets(client, 1);
  await receiver.untilReceived(5);
  expect(eventsOf(receiver.received).map(({ subject }) => subject)).toEqual([
    ...["pets/1", "pets/1", "pets/1"],
    "pets/2",
    "pets/1",
  ]);
});

test("a receiver that fails every event is sent no new events once a thousand are parked, and later gets all in order", async () => {
  const { time, parts } = withMovableClock();
  const accepted: Received[] = [];
  const accept = (received: Received) => accepted.push(received) && 204;
  // The receiver accepts updates, so that an update that is sent too early becomes visible.
  await using receiver = await Receiver.start((received) =>
    received.event.type === "pet.updated" ? accept(received) : 500,
  );
  await using service = await startService(parts);
  const { client, store } = service;
  await addWebhook(client, receiver.url);
  await addPetBatch(client, 995);
  const gauge = async (name: string) =>
    Number(new RegExp(`animal_store_webhook_${name}_events (\\d+)`).exec(await service.metrics.render())?.[1]);
  await until(async () => (await gauge("parked")) === 995);
  {
    // The events are read together, so that some have been read when the limit of parked events is reached.
    using _ = holdReads(store);
    for (let id = 1; id <= 10; id++) await renamePet(client, id, "Rex");
    await untilLogged(store);
  }
  await until(async () => (await gauge("parked")) === 1_000);
  await addPetBatch(client, 295);
  await until(async () => (await gauge("lag")) === 1_300 - (await gauge("parked")));
  expect(receiver.ids.length).toBeLessThan(1_200);
  receiver.respondWith(accept);
  for (let step = 0; step < 12; step++) {
    time.now += hourMs;
    const idCount = receiver.ids.length;
    if (idCount < 1_300) await until(() => receiver.ids.length > idCount || receiver.received.length > 2_000);
  }
  const all = await readLog(store);
  await until(() => {
    time.now += minuteMs;
    return accepted.length >= 1_300;
  });
  expect(new Set(receiver.ids)).toEqual(new Set(all.map(({ id }) => id)));
  expect(groupBySubject(eventsOf(accepted))).toEqual(groupBySubject(all));
});

test("a receiver can request a pause of up to a day with Retry-After", async () => {
  await using started = await startWithClock(() => ({ status: 429, headers: { "retry-after": "7200" } }));
  const { time, receiver, client } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 1);
  await until(async () => (await fetchDeliveries(client)).length === 1);
  expect((await fetchDeliveries(client))[0]).toMatchObject({
    responseStatus: 429,
    nextAttemptAt: new Date(startTime + 7_200_000).toISOString(),
  });
  time.now += 7_199_000;
  await addPets(client, 1);
  await receiver.untilReceived(2);
  expect(receiver.ids).toHaveLength(2);
  receiver.respondWith(() => ({ status: 503, headers: { "retry-after": "99999999" } }));
  time.now += 1_000;
  await until(async () => (await fetchDeliveries(client)).some(({ attempt }) => attempt === 2));
  const second = (await fetchDeliveries(client)).find(({ attempt }) => attempt === 2);
  expect(second?.nextAttemptAt).toBe(new Date(time.now + dayMs).toISOString());
});

test("a response of 410 disables a webhook at once and logs an event, and a webhook that is enabled again misses nothing", async () => {
  await using receiver = await Receiver.start(() => 410);
  await using other = await Receiver.start();
  await using service = await startService({ webhooks: webhookOptions });
  const { client, store } = service;
  await addWebhook(client, receiver.url, petTypes);
  await addWebhook(client, other.url, ["webhook.disabled"]);
  await addPets(client, 1);
  await other.untilReceived(1);
  expect(JSON.parse(other.received[0]?.body ?? "")).toMatchObject({
    type: "webhook.disabled",
    subject: "webhooks/1",
    data: { id: 1, status: "disabled", disabledReason: "gone" },
    previous: { status: "enabled", disabledReason: null },
  });
  expect(await getWebhook(client)).toMatchObject({ status: "disabled", disabledReason: "gone" });
  await addPets(client, 2);
  receiver.respondWith(() => 204);
  const before = receiver.received.length;
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "enabled" } });
  expect(await getWebhook(client)).toMatchObject({ status: "enabled", disabledReason: null });
  const all = (await readLog(store)).map(({ id }) => id);
  await until(() => all.slice(1).every((id) => receiver.received.slice(before).some(({ event }) => event.id === id)));
  // The failed event would be retried much later; a request retries the event at once.
  const [failed] = (await fetchDeliveries(client)).filter(({ outcome }) => outcome === "failed");
  await client.call(`/v1/webhooks/1/deliveries/${failed?.id}/retry`, { method: "POST" });
  await until(() => receiver.received.slice(before).some(({ event }) => event.id === all[0]));
});

test("a webhook is disabled after five days without a success", async () => {
  await using started = await startWithClock(() => 500);
  const { time, receiver, client } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 1);
  await untilRecorded(client, 1);
  for (let attemptCount = 1; (await getWebhook(client)).status === "enabled" && attemptCount < 30; attemptCount++) {
    expect(time.now - startTime).toBeLessThan(8 * dayMs);
    time.now += 27 * hourMs;
    await until(
      async () =>
        (await fetchDeliveries(client)).length > attemptCount || (await getWebhook(client)).status === "disabled",
    );
  }
  expect(await getWebhook(client)).toMatchObject({ status: "disabled", disabledReason: "failures" });
  expect(time.now - startTime).toBeWithin(5 * dayMs, 6 * dayMs);
});

test("a webhook stays enabled if any event was delivered within the last five days", async () => {
  await using started = await startWithClock(({ event }) => (event.subject === "pets/1" ? 500 : 204));
  const { time, receiver, client } = started;
  await addWebhook(client, receiver.url);
  await addPets(client, 1);
  await untilRecorded(client, 1);
  for (let day = 0; day < 9; day++) {
    time.now += 27 * hourMs;
    await until(() => receiver.received.filter(({ event }) => event.subject === "pets/1").length > day + 1);
    const idCount = receiver.ids.length;
    await addPets(client, 1);
    await until(() => receiver.ids.length > idCount);
    await untilRecorded(client, 1 + 2 * (day + 1));
  }
  expect(time.now - startTime).toBeGreaterThan(9 * dayMs);
  expect(await getWebhook(client)).toMatchObject({ status: "enabled" });
});

test("a webhook is disabled with the reason retention when events that it has not received are no longer kept", async () => {
  const { time, parts } = withMovableClock();
  await using receiver = await Receiver.start();
  await using database = await makeDatabase(engine);
  const sharedDatabase = { ...database, [Symbol.asyncDispose]: async () => {} };
  {
    // The running engine would apply the change only a moment later, so another service continues.
    await using service = await startServiceOn(sharedDatabase, parts);
    await addWebhook(service.client, receiver.url, petTypes);
    await service.client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "disabled" } });
  }
  await using service = await startServiceOn(sharedDatabase, parts, { eventRetentionMs: dayMs });
  const { client, store } = service;
  await addPets(client, 3);
  time.now += 2 * dayMs;
  await addPets(client, 1);
  await readLog(store);
  await store.deleteExpired(time.now);
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "enabled" } });
  await until(async () => (await getWebhook(client)).disabledReason === "retention");
  expect(receiver.received).toEqual([]);
  await client.call("/v1/webhooks/1/replay", { body: { from: "beginning" } });
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "enabled" } });
  await until(() => eventsOf(receiver.received).some(({ type }) => type === "pet.created"));
  expect(await getWebhook(client)).toMatchObject({ status: "enabled", disabledReason: null });
});

test("a webhook is disabled with the reason retention when a failed event is no longer kept at its retry", async () => {
  const { time, parts } = withMovableClock();
  let elapsedMs = 0;
  const storeOptions = { eventRetentionMs: dayMs, stopwatch: () => elapsedMs };
  await using receiver = await Receiver.start(({ event }) => (event.subject === "pets/1" ? 500 : 204));
  await using service = await startServiceOn(await makeDatabase(engine), parts, storeOptions);
  const { client, store } = service;
  await addWebhook(client, receiver.url, petTypes);
  await addPets(client, 2);
  await untilRecorded(client, 2);
  elapsedMs = 2 * dayMs;
  await store.deleteExpired(time.now + 2 * dayMs);
  time.now += 2 * dayMs;
  await until(async () => (await getWebhook(client)).disabledReason === "retention");
  expect(receiver.received).toHaveLength(2);
});

test("a webhook is disabled with the reason history when a failed event is missing from the event log at its retry", async () => {
  await using started = await startWithClock(({ event }) => (event.subject === "pets/2" ? 500 : 204));
  const { time, receiver, client, database } = started;
  await addWebhook(client, receiver.url, petTypes);
  await addPets(client, 3);
  await untilRecorded(client, 3);
  await database.run("DELETE FROM events WHERE subject = 'pets/2'");
  time.now += minuteMs;
  await until(async () => (await getWebhook(client)).disabledReason === "history");
  expect(receiver.received).toHaveLength(3);
});

it("a webhook is disabled with the reason history when the event log is not the one that the webhook has followed", async (at) => {
  const { receiver, client, store, database } = at;
  await addPets(client, 1);
  await readLog(store);
  await addWebhook(client, receiver.url);
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "disabled" } });
  await database.run("UPDATE webhooks SET event_id = 'evt_of_another_history'");
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "enabled" } });
  await until(async () => (await getWebhook(client)).disabledReason === "history");
  await client.call("/v1/webhooks/1/replay", { body: { from: "end" } });
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "enabled" } });
  await addPets(client, 1);
  await until(() => eventsOf(receiver.received).some(({ type }) => type === "pet.created"));
});

it("a webhook is disabled with the reason history when the event log was restored and other events have the same positions", async (at) => {
  const { receiver, client, database } = at;
  await addWebhook(client, receiver.url);
  await addPets(client, 4);
  await receiver.untilReceived(4);
  await database.run("DELETE FROM events WHERE position > 2");
  await addPets(client, 4);
  await until(async () => (await getWebhook(client)).disabledReason === "history");
});

it("events can be sent again from a cursor of the list of events, unless the cursor is of another event log", async (at) => {
  const { receiver, client } = at;
  await addWebhook(client, receiver.url, petTypes);
  await addPets(client, 4);
  await receiver.untilReceived(4);
  const page = await client.call("/v1/events?limit=3&type=pet.created");
  const cursor = new URL(nextPageOf(page) ?? "", client.url).searchParams.get("cursor") ?? "";
  const replay = (from: string) => client.call("/v1/webhooks/1/replay", { body: { from } });
  expect((await replay(cursor)).status).toBe(200);
  await receiver.untilReceived(5);
  expect((await replay("nonsense")).json).toMatchObject({
    status: 400,
    message: "from must be beginning, end, or a cursor of the list of events.",
  });
  expect((await replay(encodeEventCursor(cursorAfter(2, "evt_of_another_history")))).status).toBe(409);
  expect(new Set(receiver.received.slice(4).map(({ event }) => event.subject))).toEqual(new Set(["pets/4"]));
});

it("events can be sent again from the beginning, with the same ids and bytes", async ({ receiver, client, store }) => {
  await addPets(client, 2);
  await readLog(store);
  await addWebhook(client, receiver.url, petTypes);
  await addPets(client, 2);
  await receiver.untilReceived(2);
  const response = await client.call("/v1/webhooks/1/replay", { body: { from: "beginning" } });
  expect(response.status).toBe(200);
  // A set removes duplicates, because an event may arrive twice after a change of the webhook.
  const replayedBodies = () => new Set(receiver.received.slice(2).map(({ body }) => body));
  await until(() => replayedBodies().size >= 4);
  const all = await readLog(store);
  expect(replayedBodies()).toEqual(new Set(all.map(({ body }) => body)));
});

test("a single event can be sent again on request, even before its next retry is due", async () => {
  await using receiver = await Receiver.start(() => 500);
  await using service = await startService({ webhooks: webhookOptions });
  const { client } = service;
  await addWebhook(client, receiver.url);
  await addPets(client, 1);
  await until(async () => (await fetchDeliveries(client)).length === 1);
  receiver.respondWith(() => 204);
  const retry = (id: number) => client.call(`/v1/webhooks/1/deliveries/${id}/retry`, { method: "POST" });
  expect((await retry(1)).json).toMatchObject({ id: 1, outcome: "failed", nextAttemptAt: expect.any(String) });
  await until(async () => (await fetchDeliveries(client)).length === 2);
  expect((await fetchDeliveries(client))[0]).toMatchObject({ attempt: 2, outcome: "delivered", nextAttemptAt: null });
  await retry(2);
  await until(async () => (await fetchDeliveries(client)).length === 3);
  expect(receiver.ids).toHaveLength(1);
  expect(receiver.received).toHaveLength(3);
});

test("a retry of an event that is no longer kept gets 410, and the webhook continues", async () => {
  const { time, parts } = withMovableClock();
  await using receiver = await Receiver.start();
  await using service = await startServiceOn(await makeDatabase(engine), parts, { eventRetentionMs: dayMs });
  const { client, store } = service;
  await addWebhook(client, receiver.url, petTypes);
  await addPets(client, 1);
  await untilRecorded(client, 1);
  time.now += 2 * dayMs;
  await addPets(client, 1);
  await untilRecorded(client, 2);
  await store.deleteExpired(time.now);
  const headers = { "idempotency-key": "again", prefer: "handling=strict" };
  for (const replayed of [null, "true"]) {
    const response = await client.call("/v1/webhooks/1/deliveries/1/retry", { method: "POST", headers });
    expect(response.json).toEqual({
      code: "Gone",
      message: "The event of this delivery is no longer kept, so it cannot be sent again.",
      status: 410,
    });
    expect(response.headers.get("idempotent-replayed")).toBe(replayed);
  }
  expect((await client.call("/v1/webhooks/2/deliveries/1/retry", { method: "POST" })).status).toBe(404);
  await addPets(client, 1);
  await untilRecorded(client, 3);
  expect(await getWebhook(client)).toMatchObject({ status: "enabled" });
});

async function untilRecorded(client: Client, count: number): Promise<void> {
  await until(async () => (await fetchDeliveries(client)).length >= count);
}
