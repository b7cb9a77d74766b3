import { withDeadline } from "../base/deadline.ts";
import { retryAfterMs } from "../base/retry-after.ts";
import type { Attributes, FinishedSpan, SpanExporter, SpanKind } from "./tracer.ts";

export interface OtlpOptions {
  /** The whole address that traces are sent to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the spans are of: the service's name, its version and the like. */
  readonly resource: Attributes;
  /** Called when spans are lost, and with 0 when the collector takes all of them but has something to say. */
  onTrouble(reason: string, lost: number): void;
}

/**
 * Sends spans in batches as OTLP over HTTP, in JSON. A batch that the collector cannot take now is sent again after increasing
 * delays. A collector that is down for longer costs spans, and nothing else: the number of spans that wait is limited.
 */
export class OtlpExporter implements SpanExporter {
  readonly #options: OtlpOptions;
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** Number of spans that are being sent. */
  #inFlight = 0;
  /** Failed attempts since the last success. */
  #failureCount = 0;
  /** Delay until spans are sent, unless there are enough for a batch. */
  #delayMs = defaultDelayMs;
  #isClosing = false;

  constructor(options: OtlpOptions) {
    this.#options = options;
  }

  export(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= maxBatch && !this.#isResting) this.#sendSoon();
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
    if (lost > 0) this.#options.onTrouble("the service stopped before they were sent", lost);
  }

  #sendSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch at a time: a slow collector gets no more of them.
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      // A span that came meanwhile has set the timer, by the delay that was valid before the response.
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#waiting.length > 0) this.#sendLater();
    });
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => this.#sendSoon(), this.#delayMs);
  }

  /** True after a failure: a full batch then waits for its delay as well. */
  get #isResting(): boolean {
    return this.#failureCount > 0;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, maxBatch);
    const { onTrouble } = this.#options;
    this.#inFlight = batch.length;
    const failure = await this.#post(batch).catch(({ message }: Error) => ({ ...unreachable, reason: message }));
    this.#inFlight = 0;
    if (!failure) {
      this.#delayMs = defaultDelayMs;
      this.#failureCount = 0;
      if (this.#dropped > 0) onTrouble("too many spans were waiting", this.#takeDropped());
      return;
    }
    const backoffMs = Math.min(defaultDelayMs * 2 ** ++this.#failureCount, maxDelayMs);
    // Instances that failed together do not retry together.
    this.#delayMs = Math.max(Math.min(failure.retryAfterMs, maxRetryAfterMs), backoffMs * (0.75 + Math.random() / 4));
    const isKept = failure.isTemporary && this.#failureCount < maxFailures && !this.#isClosing;
    if (isKept) this.#waiting.unshift(...batch);
    else onTrouble(failure.reason, batch.length + this.#takeDropped());
  }

  /** Returns undefined once the collector has responded to the batch with success, which it may have taken in part only. */
  async #post(batch: readonly FinishedSpan[]): Promise<Failure | undefined> {
    const { url, headers, resource, onTrouble } = this.#options;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: requestBody(batch, resource),
      signal: AbortSignal.timeout(maxSendMs),
      redirect: "error",
    });
    const { status } = response;
    const text = await response.text();
    if (!response.ok) {
      const retryAfter = retryAfterMs(response.headers.get("Retry-After"), Date.now());
      return { reason: `it answered ${status}`, isTemporary: temporary.has(status), retryAfterMs: retryAfter };
    }
    const { rejected, message } = partialSuccessIn(text);
    if (rejected > 0 || message !== "") onTrouble(`the collector says: ${message}`, rejected);
    return undefined;
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

/** An attempt to send a batch that failed. */
interface Failure {
  readonly reason: string;
  readonly isTemporary: boolean;
  readonly retryAfterMs: number;
}

const unreachable = { isTemporary: true, retryAfterMs: 0 };

/** The statuses after which OTLP lets a client send the same again. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The number of spans that a response of success rejects, and its message: both may be missing, and so may be the JSON. */
function partialSuccessIn(text: string): { readonly rejected: number; readonly message: string } {
  try {
    const { rejectedSpans, errorMessage } = JSON.parse(text)?.partialSuccess ?? {};
    return { rejected: Number(rejectedSpans) || 0, message: String(errorMessage ?? "").slice(0, 300) };
  } catch {
    // Collectors may respond without JSON: they then took all spans.
    return { rejected: 0, message: "" };
  }
}

/** OTLP's JSON: ids are hexadecimal, times are nanoseconds as texts. */
export function requestBody(spans: readonly FinishedSpan[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "animal-store" }, spans: spans.map(spanOf) }],
      },
    ],
  });
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
