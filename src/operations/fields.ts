import Type, { type TSchema } from "typebox";
import type { Int64 } from "../domain/int64.ts";

/**
 * The keyword of a field's schema that ends the sentence "the field must be ...": in the error
 * message that names the field, and in the document.
 */
export const expects = "x-expects";

export function int64Field(description: string) {
  return Type.Unsafe<Int64>({
    type: "integer",
    format: "int64",
    description,
    [expects]: "an integer from -9223372036854775808 to 9223372036854775807",
  });
}

/** A field that is not part of the interface as it was first published, and may still change. */
export function beta<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, "x-stability-level": "beta" };
}

export const defaultLimit = 20;

/** How many items a page of any list has at most. */
export const limitField = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: defaultLimit,
  description: "Maximum number of items returned.",
  [expects]: "an integer from 1 to 100",
});
