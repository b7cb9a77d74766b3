import { isWellFormedKey } from "../../domain/key-secret.ts";
import type { Fields } from "../../wire/fields.ts";
import { tokenOf } from "../access/token.ts";

/** Whether a text that a client has sent beside its key might tell that, or another one that the service has made, to those who read it. */
export function mayTellKey(text: string, headers: Fields): boolean {
  if (text.includes("ask_") || isWellFormedKey(`ask_${text}`)) return true;
  const token = tokenOf(headers.get("authorization"));
  if (!token) return false;
  return text.includes(token) || (text.length >= shortestPart && token.includes(text));
}

/** What is left of a key without so much of it can be guessed. */
const shortestPart = 8;
