import { withDeadline } from "../base/deadline.ts";
import { parseRetryAfterMs } from "../base/retry-after.ts";
import type { Attributes, FinishedSpan, SpanExporter, SpanKind } from "./tracer.ts";

export interface OtlpOptions {
  /** The whole address that traces are sent to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the spans are of: the service's name, its version and the like. */
  readonly resource: Attributes;
  /** Called when spans are lost, and with 0 when the collector takes all of them but has something to say. */
  onProblem(reason: string, lost: number): void;
}

/**
 * Sends spans in batches as OTLP over HTTP, in JSON. A batch that the collector cannot take now is sent again after increasing
 * delays. A collector that is down for longer costs spans, and nothing else: the number of spans that wait is limited.
 */
export class OtlpExporter implements SpanExporter {
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** Number of spans that are being sent. */
  #inFlight = 0;
  /** Failed attempts since the last success. After one, full batches wait for the delay as well. */
  #failureCount = 0;
  /** Delay until spans are sent, unless there are enough for a batch. */
  #delayMs = defaultDelayMs;
  #isClosing = false;

  constructor(private readonly options: OtlpOptions) {}

  export(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    // The end of an attempt sets the timer, by the delay that is then valid.
    if (this.#sending) return;
    if (this.#waiting.length >= maxBatch && this.#failureCount === 0) this.#sendSoon();
    else this.#sendLater();
  }

  /** Sends each batch that waits once, and gives up after a while. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const end = performance.now() + maxCloseMs;
    while ((this.#sending || this.#waiting.length > 0) && performance.now() < end) {
      this.#sendSoon();
      const sent = this.#sending ?? Promise.resolve();
      await withDeadline(end - performance.now(), sent, () => new Error("late")).catch(() => {});
    }
    const lost = this.#inFlight + this.#waiting.length + this.#takeDropped();
    if (lost > 0) this.options.onProblem("the service stopped before they were sent", lost);
  }

  #sendSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time: a slow collector gets no more of them.
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#sendLater();
    });
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => this.#sendSoon(), this.#delayMs);
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, maxBatch);
    this.#inFlight = batch.length;
    const { onProblem } = this.options;
    try {
      await this.#post(batch);
      this.#delayMs = defaultDelayMs;
      this.#failureCount = 0;
      if (this.#dropped > 0) onProblem("too many spans were waiting", this.#takeDropped());
    } catch (error) {
      const { message, isTemporary = true, retryAfterMs: askedMs = 0 } = error as Refusal;
      const backoffMs = Math.min(defaultDelayMs * 2 ** ++this.#failureCount, maxDelayMs);
      // Instances that failed together do not retry together.
      this.#delayMs = Math.max(Math.min(askedMs, maxRetryAfterMs), backoffMs * (0.75 + Math.random() / 4));
      const isKept = isTemporary && this.#failureCount < maxFailures && !this.#isClosing;
      if (isKept) this.#waiting.unshift(...batch);
      else onProblem(message, batch.length + this.#takeDropped());
    } finally {
      this.#inFlight = 0;
    }
  }

  /** Throws a Refusal, or another error if there is no response. */
  async #post(batch: readonly FinishedSpan[]): Promise<void> {
    const { url, headers, resource, onProblem } = this.options;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: requestBody(batch, resource),
      signal: AbortSignal.timeout(maxSendMs),
      redirect: "error",
    });
    const { ok, status } = response;
    const text = await response.text();
    if (!ok) {
      const askedMs = parseRetryAfterMs(response.headers.get("Retry-After"), Date.now());
      const error = new Error(`it answered ${status}`);
      throw Object.assign(error, { isTemporary: temporary.has(status), retryAfterMs: askedMs });
    }
    const { rejectedSpans, errorMessage = "" } = partialSuccessIn(text);
    const lost = Number(rejectedSpans) || 0;
    if (lost > 0 || errorMessage !== "") onProblem(`the collector says: ${String(errorMessage).slice(0, 300)}`, lost);
  }

  #takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

const maxBatch = 512;
const maxWaiting = 2_048;
const defaultDelayMs = 1_000;
/** Failures in a row after which a batch is not kept for another attempt: about a minute. */
const maxFailures = 6;
/** A collector that asks for longer is down as far as spans are concerned. */
const maxRetryAfterMs = 600_000;
export const maxDelayMs = 30_000;
const maxSendMs = 10_000;
export const maxCloseMs = 3_000;

/** A response without success. */
interface Refusal extends Error {
  readonly isTemporary?: boolean;
  readonly retryAfterMs?: number;
}

/** The statuses after which OTLP lets a client send the same again. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The part of a response of success that says what was rejected. A collector that took all may respond without it, or without JSON. */
function partialSuccessIn(text: string): { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown } {
  try {
    return JSON.parse(text)?.partialSuccess ?? {};
  } catch {
    return {};
  }
}

/** OTLP's JSON: ids are hexadecimal, times are nanoseconds as texts. */
export function requestBody(spans: readonly FinishedSpan[], resource: Attributes): string {
  const scopeSpans = [{ scope: { name: "animal-store" }, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] });
}

function spanOf({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: FinishedSpan) {
  return {
    traceId,
    spanId,
    parentSpanId: parentId,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: failed, message: error },
  };
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2 };
const failed = 2;

/** More than a double can hold, so the digits of the fraction are put behind those of the milliseconds. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1_000_000)).padStart(6, "0")}`;
}

function attributesOf(attributes: Attributes) {
  const present = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) present.push({ key, value: typedValue(value) });
  }
  return present;
}

function typedValue(value: Attributes[string]) {
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: String(value) };
}
