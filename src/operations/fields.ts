import type { JsonSchema } from "./schema.ts";

/**
 * The keyword of a field's schema that ends the sentence "the field must be ...": in the error
 * message that names the field, and in the document.
 */
export const expects = "x-expects";

export function int64Field(description: string) {
  return {
    type: "integer",
    format: "int64",
    description,
    [expects]: "an integer from -9223372036854775808 to 9223372036854775807",
  } as const;
}

/** A field that is not part of the interface as it was first published, and may still change. */
export function beta<Schema extends JsonSchema>(schema: Schema) {
  return { ...schema, "x-stability-level": "beta" } as const;
}

export const defaultLimit = 20;

/** How many items a page of any list has at most. */
export const limitField = {
  type: "integer",
  minimum: 1,
  maximum: 100,
  default: defaultLimit,
  description: "Maximum number of items returned.",
  [expects]: "an integer from 1 to 100",
} as const;

/** Where a page of any list starts. */
export const cursorField = {
  type: "string",
  description:
    "Where the page starts. Opaque: take it, with the rest of its address, from the `Link` header of the page before. It goes with the filters it was given for; with others it is answered with 400.",
  [expects]: "one that this list gave, used with the same filters; start without it",
} as const;
