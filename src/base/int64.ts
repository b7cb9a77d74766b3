/** A 64-bit integer: a number up to 2^53, where numbers are exact, and a bigint beyond. */
export type Int64 = number | bigint;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

export function isInt64(value: unknown): value is Int64 {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "bigint" && value >= minInt64 && value <= maxInt64;
}

export function toInt64(value: bigint): Int64 {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}

/** Parses an integer in a URL: digits and an optional minus sign. */
export function parseInt64(text: string): Int64 | undefined {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  return text.length <= maxExactDigits ? Number(text) : toInt64InRange(BigInt(text));
}

/** Parses an integer in JSON without rounding: `1.0` and `1e2` are integers, `1.00000000000000000001` is not. */
export function parseJsonInt64(source: string): Int64 | undefined {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source);
  if (!parts) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0") start++;
  if (start === digits.length) return 0;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - start + zeros > 19) return undefined;
  return toInt64InRange(BigInt(sign + digits.slice(start, end) + "0".repeat(zeros)));
}

const maxExactDigits = 15;

function toInt64InRange(value: bigint): Int64 | undefined {
  return isInt64(value) ? toInt64(value) : undefined;
}
