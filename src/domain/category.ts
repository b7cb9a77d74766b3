import type { ResourceFields, ValuesOf } from "./fields.ts";

export const categoryFields = {
  id: { kind: "int64" },
  name: { kind: "name", maxLength: 255, set: "always" },
} as const satisfies ResourceFields;

/** A category that has a name. The `categoryId` of an animal may belong to a category without a name. */
export type Category = ValuesOf<typeof categoryFields>;

export interface CategoryFilter {
  /** Prefix of the names to find, compared after folding. A list with this filter is in the order of the folded names. */
  readonly name?: string | undefined;
}
