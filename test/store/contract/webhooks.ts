import { describe, expect } from "bun:test";
import { maxWebhooks, type NewDelivery, type NewWebhook, type ParkedEvent } from "../../../src/domain/webhook.ts";
import type { LeasedWebhook, Store, WebhookProgress } from "../../../src/store/store.ts";
import { untilLogged } from "../../support/history.ts";
import { testWith } from "../../support/test-with.ts";
import { getRefusal, type Open, readAll } from "./under-test.ts";

const shop: NewWebhook = {
  url: "https://shop.example/hooks",
  types: "pet.created,pet.deleted",
  description: "the shop window 🐈",
  createdAt: 1_000,
};
const secret = { sealed: "sealed 1" };
const noProgress: WebhookProgress = { parked: [], unparked: [], deliveries: [], failingSince: null };
const attempt: NewDelivery = {
  position: 7,
  eventId: "evt_7",
  type: "pet.created",
  subject: "pets/1",
  attempt: 1,
  at: 2_000,
  outcome: "failed",
  status: 500,
  error: "The receiver answered with 500.",
  durationMs: 12,
  nextAt: 7_000,
};

/** Creates an animal, and returns a delivery of the logged event. */
async function createLoggedAttempt(store: Store): Promise<NewDelivery & { position: number }> {
  await store.pets.create({ name: "Rex", categoryId: 1, status: "available" });
  const [event] = await readAll(store);
  if (!event) throw new Error("Nothing was logged.");
  return { ...attempt, position: event.position, eventId: event.id };
}

const toLease = ({ id, revision }: LeasedWebhook, owner = "one") => ({ id, owner, revision });

export function describeWebhooks(name: string, open: Open): void {
  const it = testWith(open);
  const created = {
    id: 1,
    ...shop,
    status: "enabled",
    disabledReason: null,
    failingSince: null,
    retiresAt: null,
    updatedAt: 1_000,
  } as const;

  const leaseOne = async ({ webhooks }: Store, owner = "one", now = 10_000): Promise<LeasedWebhook> => {
    const [webhook] = await webhooks.acquireLeases(owner, now, now + 10_000, []);
    if (!webhook) throw new Error("There was nothing to lease.");
    return webhook;
  };

  describe(`${name} stores webhooks`, () => {
    it("webhooks can be created and changed, and deleting a webhook also deletes its deliveries and parked events", async (under) => {
      const { webhooks } = under.store;
      const first = await webhooks.create(shop, { sealed: "a", sealedForMaker: "b" }, { position: 5, id: "evt_5" });
      expect(first).toEqual({ ...created, sealedForMaker: "b" });
      expect(await webhooks.get(1)).toEqual(created);
      expect(await webhooks.list({ limit: 10 })).toEqual({ items: [created] });
      expect(await webhooks.getSecrets(1)).toEqual({ secret: "a", previousSecret: null });
      const changed = { ...created, url: "https://other.example/", description: null, updatedAt: 2_000 };
      const changes = { url: changed.url, description: null, types: undefined };
      expect(await webhooks.update(1, changes, 2_000, created)).toEqual(changed);
      expect(await webhooks.get(1)).toEqual(changed);
      expect((await getRefusal(webhooks.update(1, changes, 3_000, created)))[0]).toBe("PreconditionFailed");
      expect(await getRefusal(webhooks.update(2, changes, 3_000, undefined))).toEqual([
        "NotFound",
        "No webhook has the id 2.",
      ]);
      await webhooks.beginDelivery(1, attempt);
      const leased = await leaseOne(under.store);
      await webhooks.saveProgress(toLease(leased), { ...noProgress, parked: [toParked(3)] });
      expect((await getRefusal(webhooks.delete(1, created)))[0]).toBe("PreconditionFailed");
      await webhooks.delete(1, undefined);
      expect(await webhooks.get(1)).toBeUndefined();
      expect([await webhooks.listDeliveries(1, 10), await webhooks.listParked(1)]).toEqual([[], []]);
      expect((await webhooks.create(shop, secret, undefined)).id).toBe(2);
    });

    it("the number of webhooks is limited", async ({ store: { webhooks } }) => {
      for (let count = 0; count < maxWebhooks; count++) await webhooks.create(shop, secret, undefined);
      const message = "There are 100 webhooks already. Delete one that is no longer needed.";
      expect(await getRefusal(webhooks.create(shop, secret, undefined))).toEqual(["Conflict", message]);
      await webhooks.delete(7, undefined);
      expect((await webhooks.create(shop, secret, undefined)).id).toBeGreaterThan(maxWebhooks);
    });

    it("disabling a webhook logs an event with its actor", async ({ store }) => {
      await store.webhooks.create(shop, secret, undefined);
      const till = { actor: { id: 3, name: "till 1" }, request: "request-1", at: 1_800_000_000_000 };
      const disabled = await store.withOrigin(till).webhooks.update(1, { status: "disabled" }, 2_000, undefined);
      expect(disabled).toEqual({ ...created, status: "disabled", disabledReason: "request", updatedAt: 2_000 });
      await store.webhooks.update(1, { status: "disabled" }, 2_500, undefined);
      expect(await store.webhooks.acquireLeases("one", 10_000, 20_000, [])).toEqual([]);
      expect(await store.webhooks.update(1, { status: "enabled" }, 3_000, undefined)).toEqual({
        ...created,
        updatedAt: 3_000,
      });
      const leased = await leaseOne(store);
      const progress = { ...noProgress, failingSince: 4_000, disabled: { reason: "failures", at: 5_000 } } as const;
      expect(await store.webhooks.saveProgress(toLease(leased), progress)).toBe(true);
      expect(await store.webhooks.get(1)).toEqual({
        ...created,
        status: "disabled",
        disabledReason: "failures",
        failingSince: 4_000,
        updatedAt: 5_000,
      });
      await untilLogged(store);
      const { events } = await store.events.read({ types: ["webhook.disabled"] }, 0, 10);
      const disabledEvents = events.map(({ subject, body }) => {
        const { actor, data, previous } = JSON.parse(body);
        return [subject, actor.name, data.disabledReason, data.types, previous];
      });
      const before = { status: "enabled", disabledReason: null };
      const types = ["pet.created", "pet.deleted"];
      expect(disabledEvents).toEqual([
        ["webhooks/1", "till 1", "request", types, before],
        ["webhooks/1", "operator", "failures", types, before],
      ]);
      for (const { body } of events) expect(body).not.toContain("sealed");
    });

    it("no change of a webhook is dated before its creation, even if the clock was set back", async (under) => {
      const { webhooks } = under.store;
      await webhooks.create(shop, secret, undefined);
      for (const change of [
        () => webhooks.update(1, { description: "Other" }, 500, undefined),
        () => webhooks.rotate(1, { at: 500, retiresAt: 9_000 }, secret, undefined),
        () => webhooks.replay(1, undefined, 500),
        () => webhooks.update(1, { status: "disabled" }, 500, undefined),
      ]) {
        expect(await change()).toMatchObject({ createdAt: 1_000, updatedAt: 1_000 });
        expect(await webhooks.get(1)).toMatchObject({ createdAt: 1_000, updatedAt: 1_000 });
      }
    });

    it("after a rotation, a webhook has its new and its previous secret", async ({ store: { webhooks } }) => {
      await webhooks.create(shop, secret, undefined);
      const rotated = await webhooks.rotate(
        1,
        { at: 2_000, retiresAt: 9_000 },
        { sealed: "2", sealedForMaker: "m" },
        created,
      );
      expect(rotated).toEqual({ ...created, retiresAt: 9_000, updatedAt: 2_000, sealedForMaker: "m" });
      expect(await webhooks.getSecrets(1)).toEqual({ secret: "2", previousSecret: "sealed 1" });
      await webhooks.rotate(1, { at: 3_000, retiresAt: 3_000 }, { sealed: "3" }, undefined);
      expect(await webhooks.getSecrets(1)).toEqual({ secret: "3", previousSecret: "2" });
      expect((await getRefusal(webhooks.rotate(1, { at: 1, retiresAt: 1 }, secret, created)))[0]).toBe(
        "PreconditionFailed",
      );
      expect((await getRefusal(webhooks.rotate(2, { at: 1, retiresAt: 1 }, secret, undefined)))[0]).toBe("NotFound");
    });

    it("a rotation without a new secret does not change a webhook that was created meanwhile", async (under) => {
      const { webhooks } = under.store;
      await webhooks.create(shop, secret, undefined);
      const rotation = webhooks.rotate(1, { at: 2_000, retiresAt: 9_000 }, undefined, undefined);
      expect((await getRefusal(rotation))[0]).toBe("NotFound");
      expect(await webhooks.getSecrets(1)).toEqual({ secret: "sealed 1", previousSecret: null });
      expect(await webhooks.get(1)).toEqual(created);
    });
  });

  describe(`${name} leases each webhook to one owner`, () => {
    it("a lease of a webhook lasts until it expires or is released", async ({ store: { webhooks } }) => {
      for (let count = 0; count < 3; count++) await webhooks.create(shop, secret, { position: 5, id: "evt_5" });
      const ids = (leased: readonly LeasedWebhook[]) => leased.map(({ id }) => id).sort();
      const first = await webhooks.acquireLeases("one", 10_000, 20_000, [3]);
      expect(ids(first)).toEqual([1, 2]);
      expect(first.find(({ id }) => id === 1)).toEqual({
        ...created,
        secret: "sealed 1",
        previousSecret: null,
        position: 5,
        eventId: "evt_5",
        revision: 1,
      });
      expect(ids(await webhooks.acquireLeases("two", 12_000, 22_000, []))).toEqual([3]);
      expect(ids(await webhooks.acquireLeases("one", 15_000, 25_000, [2]))).toEqual([1]);
      expect(ids(await webhooks.acquireLeases("two", 20_001, 30_001, []))).toEqual([2, 3]);
      await webhooks.releaseLeases("one", [1]);
      expect(ids(await webhooks.acquireLeases("one", 20_002, 30_002, []))).toEqual([1]);
      await webhooks.releaseLeases("two", [3]);
      expect(ids(await webhooks.acquireLeases("one", 20_003, 30_003, []))).toEqual([1, 2]);
      await webhooks.releaseLeases("two", []);
      expect(ids(await webhooks.acquireLeases("one", 20_004, 30_004, []))).toEqual([1, 2, 3]);
      // A lease that ends in the far future was written by a wrong clock, and counts as free.
      await webhooks.acquireLeases("one", 9_000_000, 9_010_000, []);
      expect(ids(await webhooks.acquireLeases("two", 40_000, 50_000, []))).toEqual([1, 2, 3]);
    });

    it("concurrent requests for leases get different webhooks, and no owner gets all webhooks", async (under) => {
      const { webhooks } = under.store;
      for (let count = 0; count < 12; count++) await webhooks.create(shop, secret, undefined);
      const leased = await Promise.all(
        Array.from({ length: 4 }, (_, owner) => webhooks.acquireLeases(`owner ${owner}`, 10_000, 20_000, [])),
      );
      for (const some of leased) expect(some.length).toBeLessThanOrEqual(8);
      const ids = leased.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe(12);
    });

    it("only the owner of the lease can save progress, and only while the webhook is unchanged", async (under) => {
      const { webhooks } = under.store;
      await webhooks.create(shop, secret, undefined);
      const leased = await leaseOne(under.store);
      const save = (progress: Partial<WebhookProgress>, owner = "one") =>
        webhooks.saveProgress(toLease(leased, owner), { ...noProgress, ...progress });
      expect(await save({ reached: { position: 8, id: "evt_8" }, parked: [toParked(3), toParked(7)] })).toBe(true);
      const delivery = await createLoggedAttempt(under.store);
      expect(await save({ parked: [toParked(3, 2)], unparked: [7], failingSince: 5, deliveries: [delivery] })).toBe(
        true,
      );
      expect(await save({ reached: { position: 9, id: "evt_9" } }, "two")).toBe(false);
      expect(await webhooks.listParked(1)).toEqual([toParked(3, 2)]);
      expect(await webhooks.get(1)).toMatchObject({ failingSince: 5 });
      expect(await leaseOne(under.store)).toMatchObject({ position: 8, eventId: "evt_8", revision: leased.revision });
      expect(await webhooks.listDeliveries(1, 10)).toEqual([{ id: 1, webhook: 1, ...delivery }]);
      for (const change of [
        () => webhooks.update(1, { url: "https://other.example/" }, 2_000, undefined),
        () => webhooks.rotate(1, { at: 3_000, retiresAt: 4_000 }, secret, undefined),
        () => webhooks.retry(1, 1, 3_000),
        () => webhooks.replay(1, undefined, 3_000),
        async () => {
          await webhooks.update(1, { status: "disabled" }, 4_000, undefined);
          await webhooks.update(1, { status: "enabled" }, 4_000, undefined);
        },
        () => webhooks.delete(1, undefined),
      ]) {
        const [before] = await webhooks.acquireLeases("one", 10_000, 20_000, []);
        if (!before) throw new Error("The webhook is no longer leased.");
        await change();
        expect(await webhooks.saveProgress(toLease(before), { ...noProgress, reached: { position: 99, id: "" } })).toBe(
          false,
        );
      }
    });

    it("a replay moves a webhook to another position in the event log", async (under) => {
      const { webhooks } = under.store;
      await webhooks.create(shop, secret, { position: 8, id: "evt_8" });
      await webhooks.saveProgress(toLease(await leaseOne(under.store)), { ...noProgress, parked: [toParked(3)] });
      expect(await webhooks.replay(1, { position: 2, id: "evt_2" }, 5_000)).toEqual({ ...created, updatedAt: 5_000 });
      expect(await leaseOne(under.store)).toMatchObject({ position: 2, eventId: "evt_2" });
      expect(await webhooks.listParked(1)).toEqual([]);
      await webhooks.replay(1, undefined, 5_000);
      expect(await leaseOne(under.store)).toMatchObject({ position: 0, eventId: "" });
      expect((await getRefusal(webhooks.replay(2, undefined, 5_000)))[0]).toBe("NotFound");
    });
  });

  describe(`${name} stores the latest deliveries`, () => {
    it("the latest hundred deliveries of each webhook are listed, newest first", async ({ store: { webhooks } }) => {
      for (let count = 0; count < 2; count++) await webhooks.create(shop, secret, undefined);
      const deliveries = Array.from({ length: 130 }, (_, index) => ({ ...attempt, attempt: index + 1 }));
      for (const webhook of await webhooks.acquireLeases("one", 10_000, 20_000, [])) {
        await webhooks.saveProgress(toLease(webhook), { ...noProgress, deliveries: deliveries.slice(0, 65) });
        await webhooks.saveProgress(toLease(webhook), { ...noProgress, deliveries: deliveries.slice(65) });
      }
      for (const id of [1, 2]) {
        const listed = await webhooks.listDeliveries(id, 1_000);
        expect(listed.map((delivery) => delivery.attempt)).toEqual(
          deliveries
            .slice(30)
            .map((one) => one.attempt)
            .reverse(),
        );
        expect((await webhooks.listDeliveries(id, 2)).map((delivery) => delivery.attempt)).toEqual([130, 129]);
      }
    });

    it("a delivery can be added before its outcome is known, and retried unless it is a test", async (under) => {
      const { webhooks } = under.store;
      await webhooks.create(shop, secret, undefined);
      const pending = {
        ...attempt,
        position: null,
        outcome: "pending",
        status: null,
        error: null,
        durationMs: null,
      } as const;
      const begun = await webhooks.beginDelivery(1, pending);
      expect(begun).toEqual({ id: 1, webhook: 1, ...pending });
      const ended = { ...pending, outcome: "delivered", status: 204, durationMs: 3 } as const;
      expect(await webhooks.finishDelivery(1, ended)).toEqual({ id: 1, webhook: 1, ...ended });
      expect(await webhooks.getDelivery(1)).toEqual({ id: 1, webhook: 1, ...ended });
      expect(await webhooks.finishDelivery(9, ended)).toBeUndefined();
      expect((await getRefusal(webhooks.beginDelivery(9, pending)))[0]).toBe("NotFound");
      expect(await getRefusal(webhooks.retry(1, 1, 1))).toEqual([
        "Conflict",
        "Delivery 1 was a test, which cannot be retried. Send another test.",
      ]);
      const delivery = await createLoggedAttempt(under.store);
      const { position } = delivery;
      await webhooks.beginDelivery(1, delivery);
      expect(await webhooks.retry(1, 2, 5_000)).toEqual({ id: 2, webhook: 1, ...delivery, nextAt: 5_000 });
      expect(await webhooks.listParked(1)).toEqual([{ position, subject: "pets/1", attempts: 0, nextAt: 5_000 }]);
      // A parked event keeps its number of failed attempts.
      await webhooks.saveProgress(toLease(await leaseOne(under.store)), {
        ...noProgress,
        parked: [toParked(position, 4, 90_000)],
      });
      await webhooks.retry(1, 2, 6_000);
      expect(await webhooks.listParked(1)).toEqual([toParked(position, 4, 6_000)]);
      await webhooks.beginDelivery(1, { ...delivery, eventId: "evt_of_another_history" });
      expect((await getRefusal(webhooks.retry(1, 3, 6_000)))[0]).toBe("Gone");
      await webhooks.create(shop, secret, undefined);
      for (const [webhook, delivery] of [
        [2, 2],
        [1, 99],
        [9, 2],
      ] as const) {
        expect((await getRefusal(webhooks.retry(webhook, delivery, 1)))[0]).toBe("NotFound");
      }
    });
  });
}

function toParked(position: number, attempts = 1, nextAt = 60_000): ParkedEvent {
  return { position, subject: "pets/1", attempts, nextAt };
}
