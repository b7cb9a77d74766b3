import { withDeadline } from "../base/deadline.ts";
import { ifPossible } from "../base/files.ts";
import { parseRetryAfterMs } from "../base/retry-after.ts";
import type { Attributes, FinishedSpan } from "./tracer.ts";

export interface OtlpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  /** Called with the number of lost spans, which is 0 for a warning from the collector. */
  onProblem(reason: string, lostCount: number): void;
}

/** Sends spans in batches. The number of waiting spans is bounded, so that a long outage of the collector cannot exhaust the memory. */
export class OtlpExporter {
  /** The spans to send, starting with the spans of the attempt in flight. */
  readonly #waiting: FinishedSpan[] = [];
  #droppedCount = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** Failed attempts since the last success. After a failure, full batches wait for the delay as well. */
  #failureCount = 0;
  #delayMs = defaultDelayMs;
  #isClosing = false;

  constructor(private readonly options: OtlpOptions) {}

  export(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaitingSpans) {
      this.#droppedCount++;
      return;
    }
    this.#waiting.push(span);
    // The attempt in flight starts the timer when it ends, with the delay that then applies.
    if (this.#sending) return;
    if (this.#waiting.length >= maxBatchSpans && this.#failureCount === 0) this.#sendNow();
    else this.#sendLater();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const end = performance.now() + maxCloseMs;
    while (this.#waiting.length > 0 && performance.now() < end) {
      await withDeadline(end - performance.now(), this.#sendNow(), () => new Error("late")).catch(() => {});
    }
    const lostCount = this.#waiting.length + this.#resetDroppedCount();
    if (lostCount > 0) this.options.onProblem("the service stopped before they were sent", lostCount);
  }

  #sendNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time, so that a slow collector gets no concurrent requests.
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#sendLater();
    });
    return this.#sending;
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => this.#sendNow(), this.#delayMs);
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.slice(0, maxBatchSpans);
    const { onProblem } = this.options;
    try {
      await this.#post(batch);
      this.#delayMs = defaultDelayMs;
      this.#failureCount = 0;
      if (this.#droppedCount > 0) onProblem("too many spans were waiting", this.#resetDroppedCount());
    } catch (error) {
      const { message, isTemporary = true, retryAfterMs = 0 } = error as Refusal;
      const backoffMs = Math.min(defaultDelayMs * 2 ** ++this.#failureCount, maxDelayMs);
      // The jitter keeps instances that failed together from retrying together.
      this.#delayMs = Math.max(Math.min(retryAfterMs, maxRetryAfterMs), backoffMs * (0.75 + Math.random() / 4));
      if (isTemporary && this.#failureCount < maxFailures && !this.#isClosing) return;
      onProblem(message, batch.length + this.#resetDroppedCount());
    }
    this.#waiting.splice(0, batch.length);
  }

  async #post(batch: readonly FinishedSpan[]): Promise<void> {
    const { url, headers, resource, onProblem } = this.options;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: formatRequest(batch, resource),
      signal: AbortSignal.timeout(maxSendMs),
      redirect: "error",
    });
    const { ok, status } = response;
    const text = await response.text();
    if (!ok) {
      const retryAfterMs = parseRetryAfterMs(response.headers.get("Retry-After"), Date.now());
      throw Object.assign(new Error(`it answered ${status}`), { isTemporary: retryStatuses.has(status), retryAfterMs });
    }
    // A collector that accepted everything may respond without JSON.
    const { rejectedSpans, errorMessage = "" } = ifPossible(() => JSON.parse(text)?.partialSuccess) ?? {};
    const lostCount = Number(rejectedSpans) || 0;
    if (lostCount > 0 || errorMessage !== "")
      onProblem(`the collector says: ${String(errorMessage).slice(0, 300)}`, lostCount);
  }

  #resetDroppedCount(): number {
    const count = this.#droppedCount;
    this.#droppedCount = 0;
    return count;
  }
}

const maxBatchSpans = 512;
const maxWaitingSpans = 2_048;
const defaultDelayMs = 1_000;
/** Consecutive failures, over about a minute, after which a batch is dropped. */
const maxFailures = 6;
const maxRetryAfterMs = 600_000;
export const maxDelayMs = 30_000;
const maxSendMs = 10_000;
export const maxCloseMs = 3_000;

interface Refusal extends Error {
  readonly isTemporary?: boolean;
  readonly retryAfterMs?: number;
}

const retryStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Formats spans as OTLP's JSON: ids are hexadecimal, times are nanoseconds as strings. */
export function formatRequest(spans: readonly FinishedSpan[], resource: Attributes): string {
  const scopeSpans = [{ scope: { name: "animal-store" }, spans: spans.map(toOtlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: toOtlpAttributes(resource) }, scopeSpans }] });
}

function toOtlpSpan({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: FinishedSpan) {
  return {
    traceId,
    spanId,
    parentSpanId: parentId,
    name,
    kind: { internal: 1, server: 2 }[kind],
    startTimeUnixNano: formatNanoseconds(startMs),
    endTimeUnixNano: formatNanoseconds(endMs),
    attributes: toOtlpAttributes(attributes),
    status: error === undefined ? {} : { code: errorStatus, message: error },
  };
}

const errorStatus = 2;

/** Concatenates the digits of the milliseconds and of the fraction, because a double cannot hold the nanoseconds exactly. */
function formatNanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1_000_000)).padStart(6, "0")}`;
}

function toOtlpAttributes(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );
}

function toOtlpValue(value: Attributes[string]) {
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: String(value) };
}
