import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import { hostOf } from "../base/network.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { describeCause, ServiceError } from "../domain/errors.ts";
import {
  type Delivery,
  maxNewLeases,
  maxWebhooks,
  type NewDelivery,
  testDelivery,
  testEventBody,
  type Webhook,
} from "../domain/webhook.ts";
import type { Registry } from "../metrics/registry.ts";
import { SecretBox, type WebhookKey } from "../sealing/secret-box.ts";
import type { LeasedWebhook, Note, Store, WebhookSecrets } from "../store/store.ts";
import { AddressGuard } from "./address-guard.ts";
import { type Resolve, Sender, signingSecrets } from "./sender.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";
import { WebhookWorker } from "./webhook-worker.ts";

/** Settings of the operator and of tests. */
export interface WebhookOptions {
  /** Without a key, no events are sent. */
  readonly key?: WebhookKey | undefined;
  /** Networks that are allowed although they are not public, and without TLS. */
  readonly allowedNetworks?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
  readonly ca?: string | undefined;
  readonly answerMs?: number | undefined;
  /** Interval of checks of leases and parked events. */
  readonly tickMs?: number | undefined;
  /** How long `close` waits for deliveries in flight. */
  readonly graceMs?: number | undefined;
}

export interface EngineParts extends WebhookOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly metrics: Registry;
  readonly note: Note;
}

/**
 * Delivers events to webhooks. Several processes divide the webhooks by leases in the store. A lease expires by itself, so that
 * another process soon takes over from one that has died.
 */
export class WebhookEngine {
  readonly #parts: EngineParts;
  readonly #guard: AddressGuard;
  readonly #sender: Sender;
  readonly #box: SecretBox | undefined;
  readonly #metrics: WebhookMetrics;
  readonly #owner = randomUUID();
  readonly #workers = new Map<number, WebhookWorker>();
  /** Webhooks whose secrets another process may be able to open, because they were sealed with another key. */
  readonly #unreadable = new Set<number>();
  /** Webhooks that have changed since the leases were requested, so that the result is stale. */
  readonly #changed = new Set<Int64>();
  #timer: Timer | undefined;
  #endWatch: (() => void) | undefined;
  #leasing: Promise<void> | undefined;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #hasLeased = false;
  #ticks = 0;
  #isClosed = false;
  #hasFailed = false;

  constructor(parts: EngineParts) {
    const { clock, stopwatch, resolve, ca, key, allowedNetworks = [], metrics } = parts;
    this.#parts = parts;
    this.#guard = new AddressGuard(allowedNetworks);
    this.#sender = new Sender({ guard: this.#guard, clock, stopwatch, resolve, ca });
    this.#metrics = new WebhookMetrics(metrics, parts.store.events, () => [...this.#workers.values()]);
    this.#box = key && new SecretBox(key);
  }

  start(): void {
    if (!this.#box) {
      // If the store cannot be read, requests that change a webhook report the missing key.
      this.#warnOfMissingKey().catch(() => {});
      return;
    }
    this.#timer = setInterval(() => this.#tick(), this.#parts.tickMs ?? defaultTickMs);
    this.#leaseSoon();
  }

  async seal(secret: string): Promise<string> {
    return await this.#requireBox().seal(secret);
  }

  complaintAboutUrl(text: string): string | undefined {
    const url = URL.parse(text);
    if (!url) return "must be a URL such as https://shop.example/hooks.";
    const { protocol, port, username, password, hash, hostname } = url;
    if (protocol !== "https:" && !(protocol === "http:" && this.#guard.hasNamed)) return "must begin with https://.";
    if (username || password || hash) return "must not contain a user, a password or a fragment.";
    if (port === "0") return "must not have the port 0, at which nothing can listen.";
    const host = hostOf(url);
    if (!isIP(host)) return undefined;
    if (!this.#guard.isAllowed(host)) return `must not lead to ${host}, which is not a public address.`;
    // 0127.0.0.1 is 87.0.0.1 in a URL, but 127.0.0.1 in other programs and to people.
    const [, , written = ""] = text.toLowerCase().split(/[/?#\\]/);
    if (written.replace(/:\d*$/, "") !== hostname) return `must have its address in the usual form: ${host}.`;
    return undefined;
  }

  async test(
    webhook: Webhook,
    eventId: string,
    begin: (delivery: NewDelivery) => Promise<Delivery>,
  ): Promise<Delivery> {
    const { store, clock } = this.#parts;
    const secrets = await this.#open(await store.webhooks.getSecrets(webhook.id));
    const now = clock();
    const begun = await begin(testDelivery(webhook.id, eventId, now));
    if (begun.eventId !== eventId) return (await store.webhooks.getDelivery(begun.id)) ?? begun;
    const event = { id: eventId, body: testEventBody(webhook, begun) };
    // Less than a request may take.
    const answerMs = Math.min(this.#parts.answerMs ?? defaultResponseTimeoutMs, maxTestMs);
    const attempt = await this.#sender.send(webhook.url, signingSecrets(webhook, secrets, now), event, answerMs);
    this.#metrics.attempted(attempt);
    const { isDelivered, status, error, durationMs } = attempt;
    const ended: NewDelivery = { ...begun, outcome: isDelivered ? "delivered" : "failed", status, error, durationMs };
    return (await store.webhooks.finishDelivery(begun.id, ended)) ?? { ...begun, ...ended };
  }

  applyChange(id: Int64): void {
    this.#changed.add(id);
    this.#unreadable.delete(Number(id));
    this.#workers.get(Number(id))?.abort();
    this.#leaseSoon();
  }

  /** Waits a moment for deliveries in flight, and releases the leases. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#endWatch?.();
    await this.#leasing;
    const stop = async (id: number, worker: WebhookWorker) => {
      await worker.stop(this.#parts.graceMs ?? defaultGraceMs);
      this.#workers.delete(id);
    };
    const stops = new Map([...this.#workers].map(([id, worker]) => [id, stop(id, worker)]));
    // If that fails, the leases expire.
    if (this.#hasLeased) await this.#giveBack(stops).catch(() => {});
    await Promise.all(stops.values());
  }

  /** Releases each webhook as soon as it has no deliveries in flight, so that a slow receiver delays no other webhook. */
  async #giveBack(stops: ReadonlyMap<number, Promise<void>>): Promise<void> {
    for (;;) {
      const left = [...this.#workers.keys()];
      await this.#release(left);
      if (left.length === 0) return;
      await Promise.race(left.map((id) => stops.get(id)));
    }
  }

  /** Retries after a quick failure, because a lost connection is replaced. A database that hangs is not waited for twice. */
  async #release(except: readonly number[]): Promise<void> {
    const { store, stopwatch } = this.#parts;
    const askedAt = stopwatch();
    await store.webhooks.releaseLeases(this.#owner, except).catch(async (error: unknown) => {
      if (stopwatch() - askedAt > quickFailureMs) throw error;
      await store.webhooks.releaseLeases(this.#owner, except);
    });
  }

  async #warnOfMissingKey(): Promise<void> {
    const { store, note } = this.#parts;
    const { items } = await store.webhooks.list({ limit: maxWebhooks });
    const enabled = items.find(({ status }) => status === "enabled");
    if (enabled)
      note("warn", "webhooks get no events, because ANIMAL_STORE_WEBHOOK_KEY is not set", { webhook: enabled.id });
  }

  #tick(): void {
    this.#ticks++;
    if (this.#ticks % ticksUntilReadAgain === 0) this.#unreadable.clear();
    if (this.#ticks % ticksPerLease === 0) this.#leaseSoon();
    for (const worker of this.#workers.values()) worker.tick();
  }

  readonly #leaseSoon = oneAtATime(async () => {
    if (!this.#box || this.#isClosed) return;
    this.#leasing = this.#lease().catch((error: unknown) => this.#complain(error));
    await this.#leasing;
  });

  async #lease(): Promise<void> {
    const { store, clock, stopwatch } = this.#parts;
    const askedAt = stopwatch();
    const now = clock();
    this.#changed.clear();
    const leased = await store.webhooks.acquireLeases(this.#owner, now, now + leaseMs, [...this.#unreadable]);
    this.#leasedAt = askedAt;
    this.#hasLeased ||= leased.length > 0;
    this.#hasFailed = false;
    const ids = new Set<Int64>(leased.map(({ id }) => id));
    for (const [id, worker] of this.#workers) {
      if (ids.has(id)) continue;
      worker.abort();
      this.#workers.delete(id);
    }
    const added = leased.filter(({ id }) => !this.#workers.has(id)).length;
    // Watched before the first worker reads the log, so that none misses events that arrive while the others begin.
    if (leased.length > 0) this.#watch();
    for (const webhook of leased) if (!this.#unreadable.has(webhook.id)) await this.#workFor(webhook);
    if (this.#workers.size === 0) this.#unwatch();
    // More webhooks may be without a lease, and should not wait for the next tick.
    if (added >= maxNewLeases) this.#leaseSoon();
  }

  /** Replaces the worker of a webhook that has changed. */
  async #workFor(webhook: LeasedWebhook): Promise<void> {
    const { store, clock, stopwatch, note, answerMs = defaultResponseTimeoutMs } = this.#parts;
    const old = this.#workers.get(webhook.id);
    if (old && !old.hasEnded && old.revision === webhook.revision) return;
    old?.abort();
    this.#workers.delete(webhook.id);
    const secrets = await this.#openOwn(webhook);
    if (this.#changed.has(webhook.id)) return;
    if (!secrets) {
      this.#unreadable.add(webhook.id);
      note("error", "the secret of a webhook was sealed with another key, so that nothing is delivered to it", {
        webhook: webhook.id,
      });
      return;
    }
    const parked = await store.webhooks.listParked(webhook.id);
    if (this.#isClosed || this.#changed.has(webhook.id)) return;
    const worker = new WebhookWorker(webhook, secrets, parked, {
      store,
      sender: this.#sender,
      clock,
      metrics: this.#metrics,
      note,
      owner: this.#owner,
      answerMs,
      hasLease: () => stopwatch() - this.#leasedAt < leaseMs,
    });
    this.#workers.set(webhook.id, worker);
    await worker.begin();
  }

  /** Returns the latest secret first. Throws Conflict without the key that sealed it. */
  async #open(sealed: WebhookSecrets | undefined): Promise<string[]> {
    const secrets = await this.#openOwn(sealed);
    if (secrets) return secrets;
    throw new ServiceError(
      "Conflict",
      "The secret of this webhook was sealed with another ANIMAL_STORE_WEBHOOK_KEY. Ask the operator of the store to set that one, or rotate the secret.",
    );
  }

  /** Returns undefined if the secrets were sealed with another key. Throws Conflict if the service has no key. */
  async #openOwn(sealed: WebhookSecrets | undefined): Promise<string[] | undefined> {
    const box = this.#requireBox();
    const texts = [sealed?.secret, sealed?.previousSecret].filter((text) => typeof text === "string");
    const [secret, ...previous] = await Promise.all(texts.map((text) => box.open(text)));
    return secret === undefined ? undefined : [secret, ...previous.filter((text) => text !== undefined)];
  }

  #requireBox(): SecretBox {
    if (this.#box) return this.#box;
    throw new ServiceError(
      "Conflict",
      "Webhooks are not set up: the service has no key for their secrets. Ask the operator of the store to set ANIMAL_STORE_WEBHOOK_KEY.",
    );
  }

  /** Events are watched only while there are workers. */
  #watch(): void {
    if (this.#isClosed) return;
    this.#endWatch ??= this.#parts.store.events.watch(() => {
      for (const worker of this.#workers.values()) worker.moreEvents();
    });
  }

  #unwatch(): void {
    this.#endWatch?.();
    this.#endWatch = undefined;
  }

  #complain(error: unknown): void {
    if (!this.#hasFailed) this.#parts.note("warn", "webhooks could not be checked", { cause: describeCause(error) });
    this.#hasFailed = true;
  }
}

const defaultTickMs = 1_000;
const ticksPerLease = 3;
const ticksUntilReadAgain = 300;
const leaseMs = 10_000;
export const defaultResponseTimeoutMs = 15_000;
const maxTestMs = 10_000;
const defaultGraceMs = 2_000;
const quickFailureMs = 1_000;
