import { isWellFormedKey, secretLength } from "../../domain/key-secret.ts";
import type { Fields } from "../../wire/fields.ts";
import { parseBearerToken } from "../access/token.ts";

/**
 * Whether a text that a client has sent beside its key might tell that, or another one that the service has made, to those who read
 * it: as a whole, or so much of it that the rest could be guessed.
 */
export function mayRevealKey(text: string, headers: Fields): boolean {
  if (text.includes("ask_") || holdsSecret(text)) return true;
  const token = parseBearerToken(headers.get("authorization"));
  return token !== undefined && haveInCommon(text, token);
}

/** Whether there is a key in it of which only the beginning is missing. */
function holdsSecret(text: string): boolean {
  for (const [run] of text.matchAll(longRun)) {
    for (let start = 0; start + secretLength <= run.length; start++) {
      if (isWellFormedKey(`ask_${run.slice(start, start + secretLength)}`)) return true;
    }
  }
  return false;
}

const longRun = new RegExp(`[0-9A-Za-z]{${secretLength},}`, "g");

function haveInCommon(text: string, token: string): boolean {
  // Whatever they have in common holds one of these blocks, of which hardly any text has one.
  for (let start = 0; start + blockLength <= token.length; start += blockLength) {
    if (text.includes(token.slice(start, start + blockLength))) return haveLongPartInCommon(text, token);
  }
  return false;
}

function haveLongPartInCommon(text: string, token: string): boolean {
  for (let start = 0; start + maxPartLength <= text.length; start++) {
    if (token.includes(text.slice(start, start + maxPartLength))) return true;
  }
  return false;
}

/** Less than that of a key may be known to anybody. */
const maxPartLength = 12;
const blockLength = maxPartLength / 2;
