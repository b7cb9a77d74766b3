import type { Int64 } from "../base/int64.ts";
import { foldName } from "../domain/folded-name.ts";
import { namePatterns } from "../domain/name.ts";
import { beta, cursorField } from "./fields.ts";
import type { Complaint } from "./invalid-input.ts";
import { expects } from "./schema.ts";

/** Returns a query parameter that finds items by the start of their names. */
export function nameFilterField(description: string, example: string) {
  return beta({
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: namePatterns.allowed,
    description: `${description} ${comparison}`,
    examples: [example],
    [expects]: "a string of 1 to 255 characters, none of them a control character",
  });
}

const comparison =
  "Names are compared after compatibility decomposition (NFKD) and full case folding, with `ı` as `i`, and without marks after Latin, Greek and Cyrillic letters: `strasse` finds Straße. Other marks, such as vowel signs, count; a Hangul syllable is found by its first letters.";

/** Complains about a well-formed cursor that this service never issued for the list of names with this prefix. */
export function complainOfStart(
  name: string,
  { after, afterName }: { readonly after: Int64 | undefined; readonly afterName: string | undefined },
): Complaint[] {
  const isIssued = afterName?.startsWith(foldName(name)) === true && allowedInName.test(afterName);
  if (after === undefined || isIssued) return [];
  return [{ pointer: "?cursor", message: `cursor must be ${cursorField[expects]}.` }];
}

/** Names have no control characters, some of which PostgreSQL rejects. */
const allowedInName = new RegExp(namePatterns.allowed, "u");
