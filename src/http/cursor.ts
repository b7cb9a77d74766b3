import { hash } from "node:crypto";
import { type Int64, toInt64 } from "../domain/int64.ts";

/**
 * A place in a list as a token for the address of the next page: a version, the id behind which the
 * page starts, and a check that ties both to the list and its filters. 18 bytes make 24 characters
 * of base64url with no bit to spare, so that no two tokens mean the same.
 */
export function encodeCursor(position: Int64, list: string): string {
  const token = Buffer.alloc(tokenLength);
  token.writeUInt8(version, 0);
  token.writeBigInt64BE(BigInt(position), 1);
  checkOf(token, list).copy(token, headLength);
  return token.toString("base64url");
}

/** Undefined for a token that was made for another list or other filters, was changed, or is none. */
export function decodeCursor(text: string, list: string): Int64 | undefined {
  if (!/^[A-Za-z0-9_-]{24}$/.test(text)) return undefined;
  const token = Buffer.from(text, "base64url");
  if (token.readUInt8(0) !== version || !token.subarray(headLength).equals(checkOf(token, list))) return undefined;
  return toInt64(token.readBigInt64BE(1));
}

const version = 1;
const headLength = 9;
const tokenLength = 18;

function checkOf(token: Buffer, list: string): Buffer {
  const head = token.toString("hex", 0, headLength);
  return hash("sha256", `animal-store cursor\n${head}\n${list}`, "buffer").subarray(0, tokenLength - headLength);
}
