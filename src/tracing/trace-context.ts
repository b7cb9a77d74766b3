/** The trace of a request, and the caller's span that sent the request (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  readonly isSampled: boolean;
}

export function parseTraceparent(header: string | null): TraceContext | undefined {
  const [, version, traceId = "", parentId = "", flags = "", rest = ""] =
    traceparentPattern.exec(header?.trim() ?? "") ?? [];
  // Later versions may add fields, but the known fields keep their positions.
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (allZerosPattern.test(traceId) || allZerosPattern.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const allZerosPattern = /^0+$/;
const sampledFlag = 1;

export function generateTraceId(): string {
  return generateHex(16);
}

export function generateSpanId(): string {
  return generateHex(8);
}

function generateHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  // An id that consists only of zeros is invalid.
  random[0] ||= 1;
  return random.toHex();
}
