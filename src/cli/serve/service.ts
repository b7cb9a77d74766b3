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
import { createOpenApiDocument } from "../../openapi/document.ts";
import { formatDocument } from "../../openapi/format-document.ts";
import { operations } from "../../operations/index.ts";
import type { ReferenceDocument } from "../../reference/document.ts";
import { renderReferencePage } from "../../reference/reference-page.ts";
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
  readonly closeOtherIdleConnections?: (() => Promise<number>) | undefined;
  readonly idleSeconds?: number | undefined;
  readonly maxWrongKeys?: number;
  readonly quotaTimeoutMs?: number | undefined;
  readonly webhooks?: WebhookOptions | undefined;
  readonly tidyEveryMs?: number;
}

export class Service {
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

  constructor(private readonly parts: ServiceParts) {
    const { store, stopwatch, log, metrics } = parts;
    const clock = parts.clock ?? store.clock;
    const note: Note = (level, message, fields) => log.write(level, message, fields);
    this.#clock = clock;
    this.#keys = new KnownKeys(store.keys, clock, stopwatch, parts.environmentKey);
    this.#rateLimit = parts.quota && openRateLimit(parts.quota, parts, clock);
    this.#webhooks = new WebhookEngine({ ...parts.webhooks, store, clock, stopwatch, metrics, note });
    this.#app = new App({
      ...parts,
      clock,
      operations,
      renderDocument: (operations, addresses, format) =>
        formatDocument(createOpenApiDocument(operations, addresses), format),
      renderReference: (operations, addresses, assets) =>
        renderReferencePage(createOpenApiDocument(operations, addresses) as unknown as ReferenceDocument, assets),
      authenticator: new Authenticator(this.#keys, parts.maxWrongKeys),
      rateLimit: this.#rateLimit,
      webhooks: this.#webhooks,
    });
    this.#server = listen(this.#app, parts);
    this.#webhooks.start();
    this.#endMeasuring = measureProcess(metrics, { version, bun: process.versions.bun });
    this.#timers = [
      setInterval(() => this.recordUses(), recordUsesEveryMs),
      setInterval(() => this.tidy(), parts.tidyEveryMs ?? defaultTidyIntervalMs),
    ];
  }

  get url(): URL {
    return this.#server.url;
  }

  renewCertificate(certificate: Certificate): void {
    this.#server.renewCertificate(certificate);
  }

  /** Fails `/readyz`, waits until load balancers notice, drains requests up to the limit, and closes the store. May be called repeatedly. */
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
    const onLate = () => new ServiceError("ServiceUnavailable", "The store could not be closed in time.");
    await withDeadline(shutdownTimeoutMs, this.#close(delivered), onLate);
  }

  async #close(delivered: Promise<void>): Promise<void> {
    await delivered;
    await this.recordUses();
    await this.#rateLimit?.close();
    await this.#tidying;
    await this.parts.store.close();
  }

  recordUses(): Promise<void> {
    return this.#warnOnFailure("the times when keys were last used could not be saved", () => this.#keys.recordUses());
  }

  async tidy(): Promise<void> {
    const work = () => this.parts.store.deleteExpired(this.#clock());
    this.#tidying ??= this.#warnOnFailure("expired data could not be removed", work);
    await this.#tidying;
    this.#tidying = undefined;
  }

  async #warnOnFailure(complaint: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.log.write("warn", complaint, { cause: describeCause(error) });
    }
  }
}

function openRateLimit(quota: Quota, { store, stopwatch, quotaTimeoutMs }: ServiceParts, clock: Clock): RateLimit {
  const { quotas } = store;
  return quotas ? new SharedRateLimit(quota, quotas, clock, quotaTimeoutMs) : new LocalRateLimit(quota, stopwatch);
}

const recordUsesEveryMs = 10_000;
const defaultTidyIntervalMs = 10_000;
/** Longer than SQLite waits for a lock that another program holds. */
export const shutdownTimeoutMs = 7_000;
