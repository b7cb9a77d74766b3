import { setTimeout } from "node:timers/promises";
import { KnownKeys } from "../../access/known-keys.ts";
import { LocalRateLimit, type Quota, type RateLimit } from "../../access/rate-limit.ts";
import { SharedRateLimit } from "../../access/shared-rate-limit.ts";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { describeCause, ServiceError } from "../../domain/errors.ts";
import { Authenticator } from "../../http/access/authentication.ts";
import { App, type AppParts } from "../../http/app.ts";
import { type Certificate, type HttpServer, listen } from "../../http/server.ts";
import { measureProcess } from "../../metrics/process-metrics.ts";
import { openApiDocument } from "../../openapi/document.ts";
import { documentText } from "../../openapi/text.ts";
import { operations } from "../../operations/index.ts";
import type { ReferenceDocument } from "../../reference/document.ts";
import { referencePage } from "../../reference/reference-page.ts";
import type { Note } from "../../store/store.ts";
import { WebhookEngine, type WebhookOptions } from "../../webhooks/webhook-engine.ts";
import { version } from "../version.ts";

export interface ServiceParts
  extends Omit<
    AppParts,
    "clock" | "operations" | "renderDocument" | "renderReference" | "authenticator" | "rateLimit" | "webhooks"
  > {
  readonly clock?: Clock | undefined;
  readonly host: string;
  readonly port: number;
  readonly certificate?: Certificate | undefined;
  readonly environmentKey?: string | undefined;
  readonly quota?: Quota | undefined;
  readonly maxConnections?: number | undefined;
  /** Closes the idle connections of the process's other ports, and returns their number. */
  readonly closeIdleElsewhere?: (() => Promise<number>) | undefined;
  readonly idleSeconds?: number | undefined;
  readonly maxWrongKeys?: number;
  /** Maximum time for the store to grant a quota. */
  readonly quotaTimeoutMs?: number | undefined;
  readonly webhooks?: WebhookOptions | undefined;
  readonly tidyEveryMs?: number;
}

export class Service {
  readonly #parts: ServiceParts;
  readonly #clock: Clock;
  readonly #keys: KnownKeys;
  readonly #rateLimit: RateLimit | undefined;
  readonly #webhooks: WebhookEngine;
  readonly #app: App;
  readonly #server: HttpServer;
  readonly #endMeasuring: () => void;
  readonly #timers: readonly Timer[];
  #tidying: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  /** Throws the system's error if the address is unavailable. */
  constructor(parts: ServiceParts) {
    const { store, stopwatch, log, metrics } = parts;
    const clock = parts.clock ?? store.clock;
    const note: Note = (level, message, fields) => log.write(level, message, fields);
    const rateLimit = parts.quota && openRateLimit(parts.quota, parts, clock);
    const webhooks = new WebhookEngine({ ...parts.webhooks, store, clock, stopwatch, metrics, note });
    this.#parts = parts;
    this.#clock = clock;
    this.#keys = new KnownKeys(store.keys, clock, stopwatch, parts.environmentKey);
    this.#rateLimit = rateLimit;
    this.#webhooks = webhooks;
    const authenticator = new Authenticator(this.#keys, parts.maxWrongKeys);
    this.#app = new App({
      ...parts,
      clock,
      operations,
      renderDocument,
      renderReference,
      authenticator,
      rateLimit,
      webhooks,
    });
    this.#server = listen(this.#app, parts);
    webhooks.start();
    this.#endMeasuring = measureProcess(metrics, { version, bun: process.versions.bun });
    this.#timers = [
      setInterval(() => this.recordUses(), recordUsesEveryMs),
      setInterval(() => this.tidy(), parts.tidyEveryMs ?? defaultTidyIntervalMs),
    ];
  }

  get url(): URL {
    return this.#server.url;
  }

  /** Replaces the certificate. If the new one is unusable, throws the runtime's error and keeps the old one. Returns false after `stop`. */
  renewCertificate(certificate: Certificate): boolean {
    return this.#server.renewCertificate(certificate);
  }

  /**
   * Fails `/readyz` and keeps serving for the delay, so that load balancers notice; then drains requests up to the limit, and closes the
   * store. Throws if the store does not close in time. Further calls return the same promise.
   */
  stop(limitMilliseconds: number, delayMilliseconds = 0): Promise<void> {
    this.#stopping ??= this.#stop(limitMilliseconds, delayMilliseconds);
    return this.#stopping;
  }

  async #stop(limitMilliseconds: number, delayMilliseconds: number): Promise<void> {
    this.#app.startDraining();
    if (delayMilliseconds > 0) await setTimeout(delayMilliseconds);
    const delivered = this.#webhooks.close();
    await this.#server.stop(limitMilliseconds);
    this.#app.refusals.summarise();
    for (const timer of this.#timers) clearInterval(timer);
    this.#endMeasuring();
    const late = () => new ServiceError("ServiceUnavailable", "The store could not be closed in time.");
    await withDeadline(shutdownTimeoutMs, this.#close(delivered), late);
  }

  async #close(delivered: Promise<void>): Promise<void> {
    await delivered;
    await this.recordUses();
    await this.#rateLimit?.close();
    await this.#tidying;
    await this.#parts.store.close();
  }

  recordUses(): Promise<void> {
    return this.#try("the times when keys were last used could not be saved", () => this.#keys.recordUses());
  }

  async tidy(): Promise<void> {
    const { store } = this.#parts;
    this.#tidying ??= this.#try("expired data could not be removed", () => store.deleteExpired(this.#clock()));
    await this.#tidying;
    this.#tidying = undefined;
  }

  async #try(complaint: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.log.write("warn", complaint, { cause: describeCause(error) });
    }
  }
}

function openRateLimit(quota: Quota, { store, stopwatch, quotaTimeoutMs }: ServiceParts, clock: Clock): RateLimit {
  const { quotas } = store;
  return quotas ? new SharedRateLimit(quota, quotas, clock, quotaTimeoutMs) : new LocalRateLimit(quota, stopwatch);
}

const renderDocument: AppParts["renderDocument"] = (operations, addresses, format) =>
  documentText(openApiDocument(operations, addresses), format);

const renderReference: AppParts["renderReference"] = (operations, addresses, assets) =>
  referencePage(openApiDocument(operations, addresses) as unknown as ReferenceDocument, assets);

const recordUsesEveryMs = 10_000;
const defaultTidyIntervalMs = 10_000;
/** Longer than SQLite waits for a lock that another program holds. */
export const shutdownTimeoutMs = 7_000;
