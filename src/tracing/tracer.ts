import { generateSpanId, generateTraceId, parseTraceparent, type TraceContext } from "./trace-context.ts";

/** Attributes of a span, named by OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "server";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly error: string | undefined;
}

interface SpanExporter {
  export(span: FinishedSpan): void;
}

export interface Sampling {
  readonly ratio: number;
  /** True if authenticated callers decide whether their traces are kept. */
  readonly followsParent: boolean;
}

export class Tracer {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly sampling: Sampling,
  ) {}

  /** Sampling ignores the `traceparent` of anonymous callers, who could otherwise have all their spans kept and crowd out others. */
  startSpan(traceparent: string | null, isCallerKnown: boolean): Span | undefined {
    const caller = parseTraceparent(traceparent);
    if (!this.#isSampled(caller, isCallerKnown)) return undefined;
    return new Span(this.exporter, caller?.traceId ?? generateTraceId(), caller?.parentId);
  }

  #isSampled(caller: TraceContext | undefined, isCallerKnown: boolean): boolean {
    const { ratio, followsParent } = this.sampling;
    if (!caller || !isCallerKnown) return Math.random() < ratio;
    // Decided by the trace id, which is random, so that all services with the same ratio keep the same traces.
    return followsParent ? caller.isSampled : Number.parseInt(caller.traceId.slice(-8), 16) / 2 ** 32 < ratio;
  }
}

/** The span of a request. Times are values of `performance.now`. */
export class Span {
  readonly spanId = generateSpanId();
  /** The system time at which `performance.now` was 0, computed for each span, because the system clock may be set meanwhile. */
  readonly #originMs = Date.now() - performance.now();

  constructor(
    private readonly exporter: SpanExporter,
    readonly traceId: string,
    private readonly parentId: string | undefined,
  ) {}

  end(name: string, startedAt: number, endedAt: number, attributes: Attributes, error: string | undefined): void {
    const { spanId, parentId } = this;
    this.#export({ spanId, parentId, name, kind: "server", attributes, error }, startedAt, endedAt);
  }

  addChild(name: string, startedAt: number, endedAt: number): void {
    const ids = { spanId: generateSpanId(), parentId: this.spanId };
    this.#export({ ...ids, name, kind: "internal", attributes: {}, error: undefined }, startedAt, endedAt);
  }

  #export(span: Omit<FinishedSpan, "traceId" | "startMs" | "endMs">, startedAt: number, endedAt: number): void {
    const times = { startMs: this.#originMs + startedAt, endMs: this.#originMs + endedAt };
    this.exporter.export({ traceId: this.traceId, ...span, ...times });
  }
}
