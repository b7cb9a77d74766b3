import type { ResourceFields, ValuesOf } from "./fields.ts";

export const categoryFields = {
  id: { kind: "int64" },
  name: { kind: "name", maxLength: 255, set: "always" },
} as const satisfies ResourceFields;

/** The name of a `categoryId`. */
export type Category = ValuesOf<typeof categoryFields>;

export interface CategoryFilter {
  /** The start of their names, compared after folding. Such a list is in the order of the folded names. */
  readonly name?: string | undefined;
}
