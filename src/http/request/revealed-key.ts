import { isWellFormedKey, secretLength } from "../../domain/key-secret.ts";
import type { Fields } from "../../wire/fields.ts";
import { parseBearerToken } from "./header-fields.ts";

/** True if a text from a client contains a key of the service, or enough of the client's key to guess the rest. */
export function mayRevealKey(text: string, headers: Fields): boolean {
  if (text.includes("ask_") || containsSecret(text)) return true;
  const token = parseBearerToken(headers.get("authorization"));
  return token !== undefined && sharesPart(text, token);
}

function containsSecret(text: string): boolean {
  for (const [run] of text.matchAll(longRunPattern)) {
    for (let start = 0; start + secretLength <= run.length; start++) {
      if (isWellFormedKey(`ask_${run.slice(start, start + secretLength)}`)) return true;
    }
  }
  return false;
}

const longRunPattern = new RegExp(`[0-9A-Za-z]{${secretLength},}`, "g");

function sharesPart(text: string, token: string): boolean {
  // A quick check: a common part of `minPartLength` always contains a whole block of the token, but hardly any text contains a block.
  let hasBlock = false;
  for (let start = 0; start + blockLength <= token.length && !hasBlock; start += blockLength) {
    hasBlock = text.includes(token.slice(start, start + blockLength));
  }
  if (!hasBlock) return false;
  for (let start = 0; start + minPartLength <= text.length; start++) {
    if (token.includes(text.slice(start, start + minPartLength))) return true;
  }
  return false;
}

const minPartLength = 12;
const blockLength = minPartLength / 2;
