import type { Int64 } from "../base/int64.ts";
import { type Field, namesOf, type ResourceFields } from "../domain/fields.ts";

export type ColumnType = "integer" | "text" | "bytes";

/** A table that holds something of its own. Both engines call it and its columns the same. */
export interface Table {
  readonly name: string;
  /** The word for its rows in messages. */
  readonly title: string;
  /** The first column is the key. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** The columns by which a row is known for the same, whatever has become of it since. */
  readonly identity: readonly string[];
  /** True if the store assigns the keys, one after the other. */
  readonly givesIds: boolean;
}

/** The table of a resource: a column for each field, named like the field in snake case, and some that clients never see. */
export interface ResourceTable<Fields extends ResourceFields = ResourceFields> extends Table {
  readonly fields: Fields;
  /** The select list, in which each column has the name of its field. */
  readonly selected: string;
}

/**
 * A new resource as a flat tuple of its values: nothing costs less to send to another thread, and it is what a statement inserts.
 */
export interface Tuple<Item> {
  readonly columns: readonly string[];
  pack(item: Item): SqlValue[];
  unpack(values: readonly SqlValue[], start: number): Item;
}

type SqlValue = Int64 | string | null;

export function tupleOf<Item extends object>(fields: ResourceFields): Tuple<Item> {
  const names = namesOf(fields) as (keyof Item & string)[];
  return {
    columns: columnsOf(fields),
    pack: (item) => names.map((name) => item[name] as SqlValue),
    unpack: (values, start) =>
      Object.fromEntries(names.map((name, index) => [name, values[start + index]])) as unknown as Item,
  };
}

/** Returns the columns of some fields. */
export function columnsOf(fields: ResourceFields): string[] {
  return namesOf(fields).map(columnOf);
}

/** Returns the assignments of an UPDATE statement, whose parameters start at `first`. */
export function assignments(columns: readonly string[], mark: "?" | "$", first: number): string {
  return columns.map((column, index) => `${column} = ${mark}${first + index}`).join(", ");
}

export function isInteger(kind: Field["kind"]): boolean {
  return columnTypes[kind] === "integer";
}

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function resourceTable<const Fields extends ResourceFields>({
  fields,
  others = [],
  expressions = {},
  givesIds = true,
  ...table
}: Pick<Table, "name" | "title" | "identity"> & {
  readonly fields: Fields;
  readonly others?: Table["columns"];
  readonly expressions?: { readonly [Name in keyof Fields]?: string };
  readonly givesIds?: boolean;
}): ResourceTable<Fields> {
  const columns = Object.entries<Field>(fields).map(([name, { kind }]) => [columnOf(name), columnTypes[kind]] as const);
  const selected = namesOf(fields).map((name) => `${expressions[name] ?? columnOf(name)} AS "${name}"`);
  return { ...table, fields, givesIds, columns: [...columns, ...others], selected: selected.join(", ") };
}

const columnTypes: Readonly<Record<Field["kind"], ColumnType>> = {
  id: "integer",
  int64: "integer",
  number: "integer",
  time: "integer",
  name: "text",
  text: "text",
  choice: "text",
};
