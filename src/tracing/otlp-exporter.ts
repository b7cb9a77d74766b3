import { withDeadline } from "../base/deadline.ts";
import type { Attributes, FinishedSpan, SpanExporter, SpanKind } from "./tracer.ts";

export interface OtlpOptions {
  /** The whole address that traces are sent to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the spans are of: the service's name, its version and the like. */
  readonly resource: Attributes;
  /** Told when spans could not be sent, or were dropped because too many waited. */
  onTrouble(reason: string, lost: number): void;
}

/** Sends spans in batches as OTLP over HTTP, in JSON. A collector that does not answer costs spans, and nothing else. */
export class OtlpExporter implements SpanExporter {
  readonly #options: OtlpOptions;
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** How many spans are being sent. */
  #underWay = 0;
  /** How long spans wait until they are sent, unless there are enough for a batch. */
  #delayMs = usualDelayMs;

  constructor(options: OtlpOptions) {
    this.#options = options;
  }

  export(span: FinishedSpan): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= largestBatch && !this.#isResting) this.#sendSoon();
    else this.#sendLater();
  }

  /** Sends what waits, and gives up on it after a while. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const end = performance.now() + longestCloseMs;
    while ((this.#sending || this.#waiting.length > 0) && performance.now() < end) {
      this.#sendSoon();
      const sent = this.#sending ?? Promise.resolve();
      await withDeadline(end - performance.now(), sent, () => new Error("late")).catch(() => {});
    }
    const lost = this.#underWay + this.#waiting.length + this.#takeDropped();
    if (lost > 0) this.#options.onTrouble("the service stopped before they were sent", lost);
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

  /** A collector that has refused a batch is not asked again at once, nor is the log filled with that. */
  get #isResting(): boolean {
    return this.#delayMs > usualDelayMs;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, largestBatch);
    this.#underWay = batch.length;
    const { url, headers, resource, onTrouble } = this.#options;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: requestBody(batch, resource),
        signal: AbortSignal.timeout(longestSendMs),
        redirect: "error",
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      this.#delayMs = usualDelayMs;
      if (this.#dropped > 0) onTrouble("too many spans were waiting", this.#takeDropped());
    } catch (error) {
      this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs);
      onTrouble(error instanceof Error ? error.message : String(error), batch.length + this.#takeDropped());
    } finally {
      this.#underWay = 0;
    }
  }

  #takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

const largestBatch = 512;
const mostWaiting = 2_048;
const usualDelayMs = 1_000;
export const longestDelayMs = 30_000;
const longestSendMs = 10_000;
export const longestCloseMs = 3_000;

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
