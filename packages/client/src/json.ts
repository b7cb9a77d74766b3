/** Parses JSON without rounding integers: those beyond 2^53 become bigints. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  // Large integers are parsed as marked strings, because not all platforms give the reviver access to the source.
  if (!sixteenDigitsPattern.test(text)) return JSON.parse(text);
  const mark = createMark();
  const marked = text.replace(stringOrNumberPattern, (token) => (isUnsafe(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Converts a value to JSON, in which bigints have all their digits. */
export function toJson(value: unknown): string {
  const mark = createMark();
  let hasBigints = false;
  const text = JSON.stringify(value, (_, part) => {
    if (typeof part !== "bigint") return refuseRounded(part);
    hasBigints = true;
    return `${mark}${part}`;
  });
  return hasBigints ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}

/** Throws RangeError for an integer that may have been rounded, because a number cannot hold it exactly. */
export function refuseRounded<Value>(value: Value): Value {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(
      `${value} is beyond what a number holds exactly. Write it as a bigint, such as 9007199254740993n.`,
    );
  }
  return value;
}

/** Every integer that a double might round has at least 16 digits. Other texts that match are only parsed more slowly. */
const sixteenDigitsPattern = /\d{16}/;
const stringOrNumberPattern = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

function isUnsafe(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** The mark is random, so that no string in the JSON begins with it. */
function createMark(): string {
  return `int64-${generateId()}:`;
}

/** Returns a random UUID. Browsers offer `crypto.randomUUID` only to pages that were loaded over HTTPS. */
export function generateId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
