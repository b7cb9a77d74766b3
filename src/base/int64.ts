/** A 64-bit integer: a number where that is exact, a bigint beyond 2^53. */
export type Int64 = number | bigint;

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

export function isInt64(value: unknown): value is Int64 {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "bigint" && value >= smallest && value <= largest;
}

/** The plainest form of an integer: a number where that is exact. */
export function toInt64(value: bigint): Int64 {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}

/** Reads an integer as an address spells it: digits and, before them, perhaps a minus sign. */
export function int64FromText(text: string): Int64 | undefined {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  return text.length <= longestExact ? Number(text) : withinRange(BigInt(text));
}

/**
 * Reads an integer as JSON spells it, without rounding: `1.0` and `1e2` are integers, while
 * `1.00000000000000000001`, which a double would take for 1, is none.
 */
export function int64FromJson(source: string): Int64 | undefined {
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
  return withinRange(BigInt(sign + digits.slice(start, end) + "0".repeat(zeros)));
}

/** So many characters are always within what a number holds exactly. */
const longestExact = 15;

function withinRange(value: bigint): Int64 | undefined {
  return isInt64(value) ? toInt64(value) : undefined;
}
