import { parseTraceparent, randomSpanId, randomTraceId, type TraceContext } from "./trace-context.ts";

/** What a span tells of itself, by the names of OpenTelemetry's conventions. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = "internal" | "server" | "client";

/** A piece of work that is over. Times are milliseconds since 1970. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed, if it did. */
  readonly error: string | undefined;
}

/** Takes spans away to where they are kept. */
export interface SpanExporter {
  export(span: FinishedSpan): void;
}

/** Which share of the traces that begin here is kept, and whether those who call us decide for theirs. */
export interface Sampling {
  readonly share: number;
  readonly followsParent: boolean;
}

/** Begins traces, or goes on with those of callers. */
export class Tracer {
  readonly #exporter: SpanExporter;
  readonly #sampling: Sampling;

  constructor(exporter: SpanExporter, sampling: Sampling) {
    this.#exporter = exporter;
    this.#sampling = sampling;
  }

  /** The span of a request with that `traceparent`; undefined if it is not to be kept. */
  startRequest(traceparent: string | null): Span | undefined {
    const caller = traceparent === null ? undefined : parseTraceparent(traceparent);
    if (!this.#isSampled(caller)) return undefined;
    return new Span(this.#exporter, caller?.traceId ?? randomTraceId(), caller?.parentId, performance.now());
  }

  #isSampled(caller: TraceContext | undefined): boolean {
    const { share, followsParent } = this.#sampling;
    return caller && followsParent ? caller.isSampled : Math.random() < share;
  }
}

/** A piece of work that is under way, and those within it. Times are by `performance.now`. */
export class Span {
  readonly spanId = randomSpanId();
  readonly #exporter: SpanExporter;
  readonly #startedAt: number;

  constructor(
    exporter: SpanExporter,
    readonly traceId: string,
    readonly parentId: string | undefined,
    startedAt: number,
  ) {
    this.#exporter = exporter;
    this.#startedAt = startedAt;
  }

  /** A piece of work within this one. */
  child(startedAt: number): Span {
    return new Span(this.#exporter, this.traceId, this.spanId, startedAt);
  }

  /** It is called once. */
  end(
    name: string,
    kind: SpanKind,
    attributes: Attributes = {},
    error: string | undefined = undefined,
    endedAt = performance.now(),
  ): void {
    this.#exporter.export({
      traceId: this.traceId,
      spanId: this.spanId,
      parentId: this.parentId,
      name,
      kind,
      startMs: performance.timeOrigin + this.#startedAt,
      endMs: performance.timeOrigin + endedAt,
      attributes,
      error,
    });
  }
}
