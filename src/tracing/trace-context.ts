/** Which trace a request belongs to, and which span of its caller's it comes from (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  readonly isSampled: boolean;
}

/** Reads a `traceparent` header. What is malformed is as good as none. */
export function parseTraceparent(header: string | null): TraceContext | undefined {
  if (header === null) return undefined;
  const [, version, traceId = "", parentId = "", flags = "", rest = ""] = pattern.exec(header.trim()) ?? [];
  // Later versions may add fields, but what is known stays where it is.
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (isZero.test(traceId) || isZero.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function randomTraceId(): string {
  return randomHex(16);
}

export function randomSpanId(): string {
  return randomHex(8);
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isZero = /^0+$/;
const sampledFlag = 1;

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  // No id may be of zeros alone.
  random[0] ||= 1;
  return random.toHex();
}
