import { hash } from "node:crypto";
import { type Int64, isInt64, toInt64 } from "../base/int64.ts";

/** The item before a page: its id and, in a list by name, its folded name. */
export interface PageStart {
  readonly after: Int64;
  readonly afterName?: string | undefined;
}

/** Returns a token whose checksum depends on the list and its filters. */
export function encodeCursor({ after, afterName }: PageStart, list: string): string {
  let head = version + after.toString(radix);
  if (afterName !== undefined) head += `.${Buffer.from(afterName).toString("base64url")}`;
  return computeChecksum(head, list) + head;
}

/** Returns undefined if the token is malformed or modified, or belongs to another list or other filters. */
export function decodeCursor(text: string, list: string): PageStart | undefined {
  const [, checksum, head = "", digits = "", name] =
    /^([A-Za-z0-9_-]{12})(1(-?[0-9a-z]{1,13})(?:\.([A-Za-z0-9_-]*))?)$/.exec(text) ?? [];
  if (checksum === undefined || checksum !== computeChecksum(head, list)) return undefined;
  const after = parseInteger(digits);
  if (!isInt64(after)) return undefined;
  return { after, afterName: name === undefined ? undefined : Buffer.from(name, "base64url").toString() };
}

const version = "1";
const radix = 36;

function computeChecksum(head: string, list: string): string {
  return hash("sha256", `animal-store cursor\n${head}\n${list}`, "base64url").slice(0, 12);
}

function parseInteger(digits: string): Int64 {
  const number = Number.parseInt(digits, radix);
  if (Number.isSafeInteger(number)) return number;
  const isNegative = digits.startsWith("-");
  let value = 0n;
  for (const digit of isNegative ? digits.slice(1) : digits)
    value = value * BigInt(radix) + BigInt(Number.parseInt(digit, radix));
  return toInt64(isNegative ? -value : value);
}
