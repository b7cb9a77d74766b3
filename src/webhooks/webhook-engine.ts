import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import { hostOf } from "../base/network.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { describeCause, ServiceError } from "../domain/errors.ts";
import {
  createTestDelivery,
  createTestEventBody,
  type Delivery,
  maxNewLeases,
  maxWebhooks,
  type NewDelivery,
  type Webhook,
} from "../domain/webhook.ts";
import type { Registry } from "../metrics/registry.ts";
import { SecretBox, type WebhookKey } from "../sealing/secret-box.ts";
import type { LeasedWebhook, Note, Store, WebhookSecrets } from "../store/store.ts";
import { AddressGuard } from "./address-guard.ts";
import { type Resolve, Sender, selectSigningSecrets } from "./sender.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";
import { WebhookWorker } from "./webhook-worker.ts";

export interface WebhookOptions {
  /** The encryption key of secrets. Without a key, no events are sent. */
  readonly key?: WebhookKey | undefined;
  /** Private networks that may receive events, even without TLS. */
  readonly allowedNetworks?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
  readonly responseTimeoutMs?: number | undefined;
  readonly checkIntervalMs?: number | undefined;
  readonly graceMs?: number | undefined;
}

export interface EngineParts extends WebhookOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly metrics: Registry;
  readonly note: Note;
}

/** Delivers events to webhooks. Processes divide the webhooks by leases in the store. */
export class WebhookEngine {
  readonly #parts: EngineParts;
  readonly #guard: AddressGuard;
  readonly #sender: Sender;
  readonly #box: SecretBox | undefined;
  readonly #metrics: WebhookMetrics;
  readonly #owner = randomUUID();
  readonly #workers = new Map<number, WebhookWorker>();
  /** Webhooks whose secrets were sealed with another key. Another process may be able to open them. */
  readonly #unreadable = new Set<number>();
  #timer: Timer | undefined;
  #stopWatching: (() => void) | undefined;
  #leasing: Promise<void> | undefined;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #hasLeased = false;
  #checkCount = 0;
  #isClosed = false;
  #hasFailed = false;

  constructor(parts: EngineParts) {
    const { clock, stopwatch, resolve, key, allowedNetworks = [], metrics } = parts;
    this.#parts = parts;
    this.#guard = new AddressGuard(allowedNetworks);
    this.#sender = new Sender({ guard: this.#guard, clock, stopwatch, resolve });
    this.#metrics = new WebhookMetrics(metrics, parts.store.events, () => [...this.#workers.values()]);
    this.#box = key && new SecretBox(key);
  }

  start(): void {
    if (!this.#box) {
      // A failed warning is ignored, because requests that change a webhook also report the missing key.
      this.#warnAboutMissingKey().catch(() => {});
      return;
    }
    this.#timer = setInterval(() => this.#check(), this.#parts.checkIntervalMs ?? defaultCheckIntervalMs);
    this.#leaseSoon();
  }

  async seal(secret: string): Promise<string> {
    return await this.#requireBox().seal(secret);
  }

  findUrlComplaint(text: string): string | undefined {
    const url = URL.parse(text);
    if (!url) return "must be a URL such as https://shop.example/hooks.";
    const { protocol, port, username, password, hash, hostname } = url;
    const isHttpAllowed = this.#guard.hasAllowedNetworks;
    if (protocol !== "https:" && !(protocol === "http:" && isHttpAllowed)) return "must begin with https://.";
    if (username || password || hash) return "must not contain a user, a password or a fragment.";
    if (port === "0") return "must not have the port 0, at which nothing can listen.";
    const host = hostOf(url);
    if (!isIP(host)) return undefined;
    if (!this.#guard.isAllowed(host)) return `must not lead to ${host}, which is not a public address.`;
    // A URL parser reads 0127.0.0.1 as octal, 87.0.0.1; people and other programs read the same text as 127.0.0.1.
    const [, , writtenHost = ""] = text.toLowerCase().split(/[/?#\\]/);
    if (writtenHost.replace(/:\d*$/, "") !== hostname) return `must have its address in the usual form: ${host}.`;
    return undefined;
  }

  async test(
    webhook: Webhook,
    eventId: string,
    begin: (delivery: NewDelivery) => Promise<Delivery>,
  ): Promise<Delivery> {
    const { store, clock } = this.#parts;
    const secrets = await this.#openSecrets(await store.webhooks.getSecrets(webhook.id));
    if (!secrets) {
      throw new ServiceError(
        "Conflict",
        "The secret of this webhook was sealed with another ANIMAL_STORE_WEBHOOK_KEY. Ask the operator of the store to set that one, or rotate the secret.",
      );
    }
    const now = clock();
    const delivery = await begin(createTestDelivery(webhook.id, eventId, now));
    if (delivery.eventId !== eventId) return (await store.webhooks.getDelivery(delivery.id)) ?? delivery;
    const event = { id: eventId, body: createTestEventBody(webhook, delivery) };
    const timeoutMs = Math.min(this.#parts.responseTimeoutMs ?? defaultResponseTimeoutMs, maxTestMs);
    const attempt = await this.#sender.send(webhook.url, selectSigningSecrets(webhook, secrets, now), event, timeoutMs);
    this.#metrics.countAttempt(attempt);
    const { isDelivered, status, error, durationMs } = attempt;
    const finished: NewDelivery = {
      ...delivery,
      outcome: isDelivered ? "delivered" : "failed",
      status,
      error,
      durationMs,
    };
    return (await store.webhooks.finishDelivery(delivery.id, finished)) ?? { ...delivery, ...finished };
  }

  applyChange(id: Int64): void {
    this.#unreadable.delete(Number(id));
    this.#workers.get(Number(id))?.abort();
    this.#leaseSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#stopWatching?.();
    await this.#leasing;
    // Releases each webhook as soon as its worker has stopped, so that a slow receiver delays no other webhook.
    const releaseStopped = oneAtATime(() => this.#releaseStopped());
    const stops = [...this.#workers].map(async ([id, worker]) => {
      await worker.stop(this.#parts.graceMs ?? defaultGraceMs);
      this.#workers.delete(id);
      releaseStopped();
    });
    await Promise.all(stops);
    if (this.#hasLeased) await this.#releaseStopped();
  }

  async #releaseStopped(): Promise<void> {
    try {
      await this.#parts.store.webhooks.releaseLeases(this.#owner, [...this.#workers.keys()]);
    } catch {
      // The leases expire.
    }
  }

  async #warnAboutMissingKey(): Promise<void> {
    const { store, note } = this.#parts;
    const { items } = await store.webhooks.list({ limit: maxWebhooks });
    const enabled = items.find(({ status }) => status === "enabled");
    if (enabled)
      note("warn", "webhooks get no events, because ANIMAL_STORE_WEBHOOK_KEY is not set", { webhook: enabled.id });
  }

  #check(): void {
    this.#checkCount++;
    if (this.#checkCount % checksUntilSecretRetry === 0) this.#unreadable.clear();
    if (this.#checkCount % checksPerLease === 0) this.#leaseSoon();
    for (const worker of this.#workers.values()) worker.check();
  }

  readonly #leaseSoon = oneAtATime(async () => {
    if (!this.#box || this.#isClosed) return;
    this.#leasing = this.#lease().catch((error: unknown) => {
      if (!this.#hasFailed) this.#parts.note("warn", "webhooks could not be checked", { cause: describeCause(error) });
      this.#hasFailed = true;
    });
    await this.#leasing;
  });

  async #lease(): Promise<void> {
    const { store, clock, stopwatch } = this.#parts;
    const requestedAt = stopwatch();
    const now = clock();
    const leased = await store.webhooks.acquireLeases(this.#owner, now, now + leaseMs, [...this.#unreadable]);
    this.#leasedAt = requestedAt;
    this.#hasLeased ||= leased.length > 0;
    this.#hasFailed = false;
    const ids = new Set(leased.map(({ id }) => id));
    for (const [id, worker] of this.#workers) {
      if (ids.has(id)) continue;
      worker.abort();
      this.#workers.delete(id);
    }
    const addedCount = leased.filter(({ id }) => !this.#workers.has(id)).length;
    // The watch starts before the first worker reads the log, so that no worker misses events that arrive while other workers start.
    if (leased.length > 0 && !this.#isClosed) {
      this.#stopWatching ??= store.events.watch(() => {
        for (const worker of this.#workers.values()) worker.onMoreEvents();
      });
    }
    for (const webhook of leased) if (!this.#unreadable.has(webhook.id)) await this.#ensureWorker(webhook);
    if (this.#workers.size === 0) {
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    }
    // One request returns at most `maxNewLeases` new leases, so more webhooks may be waiting for a lease.
    if (addedCount >= maxNewLeases) this.#leaseSoon();
  }

  async #ensureWorker(webhook: LeasedWebhook): Promise<void> {
    const { store, clock, stopwatch, note, responseTimeoutMs = defaultResponseTimeoutMs } = this.#parts;
    const oldWorker = this.#workers.get(webhook.id);
    if (oldWorker && !oldWorker.hasEnded && oldWorker.webhook.revision === webhook.revision) return;
    oldWorker?.abort();
    this.#workers.delete(webhook.id);
    const secrets = await this.#openSecrets(webhook);
    if (!secrets) {
      this.#unreadable.add(webhook.id);
      note("error", "the secret of a webhook was sealed with another key, so that nothing is delivered to it", {
        webhook: webhook.id,
      });
      return;
    }
    const parked = await store.webhooks.listParked(webhook.id);
    if (this.#isClosed) return;
    const worker = new WebhookWorker(webhook, secrets, parked, {
      store,
      sender: this.#sender,
      clock,
      metrics: this.#metrics,
      note,
      owner: this.#owner,
      responseTimeoutMs,
      hasLease: () => stopwatch() - this.#leasedAt < leaseMs,
    });
    this.#workers.set(webhook.id, worker);
    await worker.begin();
  }

  /** Returns the secrets, the current one first, or undefined if they were sealed with another key. */
  async #openSecrets(sealed: WebhookSecrets | undefined): Promise<string[] | undefined> {
    const box = this.#requireBox();
    const sealedTexts = [sealed?.secret, sealed?.previousSecret].filter((text) => typeof text === "string");
    const [secret, ...previous] = await Promise.all(sealedTexts.map((text) => box.open(text)));
    return secret === undefined ? undefined : [secret, ...previous.filter((text) => text !== undefined)];
  }

  #requireBox(): SecretBox {
    if (this.#box) return this.#box;
    throw new ServiceError(
      "Conflict",
      "Webhooks are not set up: the service has no key for their secrets. Ask the operator of the store to set ANIMAL_STORE_WEBHOOK_KEY.",
    );
  }
}

const defaultCheckIntervalMs = 1_000;
const checksPerLease = 3;
const checksUntilSecretRetry = 300;
const leaseMs = 10_000;
export const defaultResponseTimeoutMs = 15_000;
/** Shorter than the time limit of the API request that sends the test event. */
const maxTestMs = 10_000;
const defaultGraceMs = 2_000;
