import type { ResourceFields, ValuesOf } from "./fields.ts";

export const categoryFields = {
  id: { kind: "int64" },
  name: { kind: "name", maxLength: 255, set: "always" },
} as const satisfies ResourceFields;

/** The name of a category; animals refer to the category by their `categoryId`. */
export type Category = ValuesOf<typeof categoryFields>;

export interface CategoryFilter {
  /** The start of the names to find, compared after folding. A list with this filter is in the order of the folded names. */
  readonly name?: string | undefined;
}
