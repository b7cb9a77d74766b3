import type { Int64 } from "../base/int64.ts";
import { namesOf } from "../domain/fields.ts";
import { foldName } from "../domain/folded-name.ts";
import { namePatterns } from "../domain/name.ts";
import type { Complaint } from "./invalid-input.ts";
import { closeSchema, expects, type Fields, type JsonSchema, maxValues, whenAbsent } from "./schema.ts";

export function int64Field(description: string) {
  return {
    type: "integer",
    format: "int64",
    description,
    [expects]: "an integer from -9223372036854775808 to 9223372036854775807",
  } as const;
}

export function idField(description: string) {
  return { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description } as const;
}

/** The id of a category may be negative. */
export const idPattern = "(0|-?[1-9][0-9]{0,18})";

export function optionalIdField(description: string) {
  return { ...idField(description), type: ["integer", "null"] } as const;
}

/** `allOf` has only one of the refused patterns, because Schemathesis does not terminate with both. */
export function nameField(description: string, maxLength = 255) {
  return {
    type: "string",
    minLength: 1,
    maxLength,
    pattern: namePatterns.allowed,
    not: { pattern: namePatterns.refused[0], allOf: [{ pattern: namePatterns.refused[1] }] },
    description,
    [expects]: `a string of 1 to ${maxLength} characters, at least one of them visible and none of them a control character`,
  } as const;
}

export function choiceField<const Choices extends readonly string[]>(choices: Choices, description: string) {
  return { type: "string", enum: choices, description, [expects]: `one of ${choices.join(", ")}` } as const;
}

export function timeField(description: string) {
  return { type: "string", format: "date-time", description } as const;
}

export function optionalTimeField(description: string) {
  return { type: ["string", "null"], format: "date-time", description } as const;
}

/** Returns the schema of a query parameter that takes one value, or several separated by commas. */
export function toCommaSeparatedField<Schema extends JsonSchema>(schema: Schema, maxCount: number) {
  return { ...schema, [maxValues]: maxCount } as const;
}

export function markBeta<Schema extends JsonSchema>(schema: Schema) {
  return { ...schema, "x-stability-level": "beta" } as const;
}

const defaultOverlapSeconds = 86_400;

export function overlapField(meaning: string) {
  return {
    type: "integer",
    minimum: 0,
    maximum: 2_592_000,
    description: `${meaning} Default: ${defaultOverlapSeconds} seconds, one day.`,
    [expects]: "an integer from 0 to 2592000",
    [whenAbsent]: defaultOverlapSeconds,
  } as const;
}

export const maxLimit = 100;

export const limitField = {
  type: "integer",
  minimum: 1,
  maximum: maxLimit,
  default: 20,
  description: "Maximum number of items returned.",
  [expects]: `an integer from 1 to ${maxLimit}`,
} as const;

export function pageSchema<Item extends JsonSchema>($id: string, description: string, items: Item) {
  return { $id, type: "array", description, maxItems: maxLimit, items } as const;
}

export function objectSchema<const Properties extends Fields>(
  $id: string,
  description: string,
  properties: Properties,
) {
  return { $id, type: "object", description, required: namesOf(properties), properties } as const;
}

/** Returns the schema of a request body whose unknown fields are always refused. */
export function closedSchema<const Properties extends Fields, const Required extends keyof Properties & string = never>(
  $id: string,
  description: string,
  properties: Properties,
  ...required: readonly Required[]
) {
  const schema = { $id, type: "object", description, ...(required.length > 0 && { required }), properties } as const;
  return closeSchema(schema as typeof schema & { readonly required: readonly Required[] });
}

export const sortField = {
  ...choiceField(
    ["id", "-id"],
    "The order of the items: `id` for the oldest first, which is the default, or `-id` for the newest first.",
  ),
  [whenAbsent]: "id",
} as const;

export const cursorField = {
  type: "string",
  description:
    "The start of the page. Opaque: follow the `next` URL in the `Link` header of the previous page. A cursor with other filters or another `sort` than those of that page gets 400.",
  [expects]: "one that this list returned, used with the same filters; omit it to start over",
} as const;

export const headLimits = { kibibytes: 16 } as const;

/** Limits of bodies. Every chunk has a fixed cost: megabytes in chunks of one byte would block other requests for seconds. */
export const bodyLimits = { kibibytes: 64, seconds: 10, chunks: 16_384 } as const;

/** Returns the schema of a query parameter that finds items by the start of their names. */
export function nameFilterField(description: string, example: string) {
  return markBeta({
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: namePatterns.allowed,
    description: `${description} ${nameComparison}`,
    examples: [example],
    [expects]: "a string of 1 to 255 characters, none of them a control character",
  });
}

const nameComparison =
  "Names are compared after compatibility decomposition (NFKD) and full case folding, with `ı` as `i`, and without marks after Latin, Greek and Cyrillic letters: `strasse` finds Straße. Other marks, such as vowel signs, count; a Hangul syllable is found by its first letters.";

/** Complains about a valid cursor that cannot come from a list of the names with this prefix. */
export function complainAboutCursor(
  name: string,
  { after, afterName }: { readonly after: Int64 | undefined; readonly afterName: string | undefined },
): Complaint[] {
  const isFromThisList = afterName?.startsWith(foldName(name)) === true && allowedNamePattern.test(afterName);
  if (after === undefined || isFromThisList) return [];
  return [{ pointer: "?cursor", message: `cursor must be ${cursorField[expects]}.` }];
}

/** A cursor could contain control characters, some of which PostgreSQL rejects. */
const allowedNamePattern = new RegExp(namePatterns.allowed, "u");
