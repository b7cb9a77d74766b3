import { parseTraceparent, randomSpanId, randomTraceId, type TraceContext } from "./trace-context.ts";

/** Attributes of a span, named by OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = "internal" | "server";

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly error: string | undefined;
}

export interface SpanExporter {
  export(span: FinishedSpan): void;
}

export interface Sampling {
  /** Fraction of the traces to keep. */
  readonly share: number;
  /** True if authenticated callers decide whether their traces are kept. */
  readonly followsParent: boolean;
}

/** Starts traces, or continues those of callers. */
export class Tracer {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly sampling: Sampling,
  ) {}

  /**
   * Returns the span of a request, or undefined if it is not sampled. The `traceparent` of an anonymous caller does not affect sampling:
   * otherwise anonymous callers could have all their spans kept, and so evict those of others.
   */
  startSpan(traceparent: string | null, isCallerKnown: boolean, startedAt: number): Span | undefined {
    const caller = parseTraceparent(traceparent);
    if (!this.#isSampled(caller, isCallerKnown)) return undefined;
    // Computed for each span, because the system clock may have been set since the process began.
    const originMs = Date.now() - performance.now();
    return new Span(this.exporter, caller?.traceId ?? randomTraceId(), caller?.parentId, startedAt, originMs);
  }

  #isSampled(caller: TraceContext | undefined, isCallerKnown: boolean): boolean {
    const { share, followsParent } = this.sampling;
    // The trace id of an anonymous caller does not count either, because the caller chooses it.
    if (!caller || !isCallerKnown) return Math.random() < share;
    // Services with the same share keep the same traces, because trace ids are random.
    return followsParent ? caller.isSampled : Number.parseInt(caller.traceId.slice(-8), 16) / 2 ** 32 < share;
  }
}

/** An operation in progress. Times are values of `performance.now`. */
export class Span {
  readonly spanId = randomSpanId();

  constructor(
    private readonly exporter: SpanExporter,
    readonly traceId: string,
    readonly parentId: string | undefined,
    private readonly startedAt: number,
    /** The time at which `performance.now` is 0, in milliseconds since 1970. */
    private readonly originMs: number,
  ) {}

  startChild(startedAt: number): Span {
    return new Span(this.exporter, this.traceId, this.spanId, startedAt, this.originMs);
  }

  end(
    name: string,
    kind: SpanKind,
    attributes: Attributes = {},
    error: string | undefined = undefined,
    endedAt = performance.now(),
  ): void {
    const { traceId, spanId, parentId, originMs } = this;
    const times = { startMs: originMs + this.startedAt, endMs: originMs + endedAt };
    this.exporter.export({ traceId, spanId, parentId, name, kind, ...times, attributes, error });
  }
}
