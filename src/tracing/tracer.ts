import { parseTraceparent, randomSpanId, randomTraceId, type TraceContext } from "./trace-context.ts";

/** A span's attributes, named by OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = "internal" | "server";

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
  constructor(
    private readonly exporter: SpanExporter,
    private readonly sampling: Sampling,
  ) {}

  /**
   * The span of a request that began then, with that `traceparent`; undefined if it is not to be kept. Only of callers that
   * are known does the word count: else anybody could have everything kept, and push out the spans of others.
   */
  spanOf(traceparent: string | null, isCallerKnown: boolean, startedAt: number): Span | undefined {
    const caller = parseTraceparent(traceparent);
    if (!this.#isSampled(caller, isCallerKnown)) return undefined;
    // The clock may have been set since the process began.
    const originMs = Date.now() - performance.now();
    return new Span(this.exporter, caller?.traceId ?? randomTraceId(), caller?.parentId, startedAt, originMs);
  }

  #isSampled(caller: TraceContext | undefined, isCallerKnown: boolean): boolean {
    const { share, followsParent } = this.sampling;
    // The id of a trace is chosen by its caller as well.
    if (!caller || !isCallerKnown) return Math.random() < share;
    // All services that keep the same share keep the same traces.
    return followsParent ? caller.isSampled : shareOf(caller) < share;
  }
}

/** Where the trace's id, which is random, stands between the lowest and the highest. */
function shareOf({ traceId }: TraceContext): number {
  return Number.parseInt(traceId.slice(-8), 16) / 2 ** 32;
}

/** A piece of work that is under way, and those within it. Times are by `performance.now`. */
export class Span {
  readonly spanId = randomSpanId();

  constructor(
    private readonly exporter: SpanExporter,
    readonly traceId: string,
    readonly parentId: string | undefined,
    private readonly startedAt: number,
    /** The time that `performance.now` counts from, in milliseconds since 1970. */
    private readonly originMs: number,
  ) {}

  /** A piece of work within this one. */
  child(startedAt: number): Span {
    return new Span(this.exporter, this.traceId, this.spanId, startedAt, this.originMs);
  }

  /** It is called once. */
  end(
    name: string,
    kind: SpanKind,
    attributes: Attributes = {},
    error: string | undefined = undefined,
    endedAt = performance.now(),
  ): void {
    this.exporter.export({
      traceId: this.traceId,
      spanId: this.spanId,
      parentId: this.parentId,
      name,
      kind,
      startMs: this.originMs + this.startedAt,
      endMs: this.originMs + endedAt,
      attributes,
      error,
    });
  }
}
