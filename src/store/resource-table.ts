import type { Int64 } from "../base/int64.ts";
import { type Field, namesOf, type ResourceFields } from "../domain/fields.ts";
import { foldUnlessAscii } from "../domain/folded-name.ts";

export type ColumnType = "integer" | "text" | "bytes";

/** A table that has the same name and columns in both engines. */
export interface Table {
  readonly name: string;
  /** The plural noun that messages use, such as `animals`. */
  readonly title: string;
  /** The first column is the key. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** The columns that identify a row and never change. */
  readonly identity: readonly string[];
  readonly assignsIds: boolean;
}

export interface ResourceTable<Fields extends ResourceFields = ResourceFields> extends Table {
  readonly fields: Fields;
  readonly selected: string;
}

type SqlValue = Int64 | string | null;

/** Returns functions that convert new resources to and from flat lists, the cheapest form to send to another thread and to insert. */
export function createTupleFormat<Item extends object>(fields: ResourceFields) {
  const names = namesOf(fields) as (keyof Item & string)[];
  return {
    columns: columnsOf(fields),
    pack: (item: Item): SqlValue[] => names.map((name) => item[name] as SqlValue),
    unpack: (values: readonly SqlValue[], start: number): Item =>
      Object.fromEntries(names.map((name, index) => [name, values[start + index]])) as unknown as Item,
  };
}

export function columnsOf(fields: ResourceFields): string[] {
  return namesOf(fields).map(columnOf);
}

/** Values of a row by field name. Columns that are not fields also have names in camel case, such as `eventId`. */
export type ColumnValues = Readonly<Record<string, SqlValue | Uint8Array | undefined>>;

/** Returns the columns that have values, and the values. A name is stored with its folded form. */
export function toColumnValues(
  { columns }: Table,
  values: ColumnValues,
): { readonly columns: string[]; readonly values: (SqlValue | Uint8Array)[] } {
  const valuesByColumn = Object.fromEntries(Object.entries(values).map(([name, value]) => [columnOf(name), value]));
  const { name } = values;
  if (typeof name === "string") valuesByColumn["folded_name"] = foldUnlessAscii(name);
  const entries = columns.flatMap(([column]) => {
    const value = valuesByColumn[column];
    return value === undefined ? [] : [[column, value] as const];
  });
  return { columns: entries.map(([column]) => column), values: entries.map(([, value]) => value) };
}

export function isInteger(kind: Field["kind"]): boolean {
  return columnTypes[kind] === "integer";
}

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function defineResourceTable<const Fields extends ResourceFields>({
  fields,
  otherColumns = {},
  expressions = {},
  assignsIds = true,
  ...table
}: Pick<Table, "name" | "title" | "identity"> & {
  readonly fields: Fields;
  readonly otherColumns?: Readonly<Record<string, ColumnType>>;
  /** Fields that are computed from other columns. */
  readonly expressions?: { readonly [Name in keyof Fields]?: string };
  readonly assignsIds?: boolean;
}): ResourceTable<Fields> {
  const stored = Object.entries<Field>(fields).filter(([name]) => expressions[name] === undefined);
  const columns = stored.map(([name, { kind }]) => [columnOf(name), columnTypes[kind]] as const);
  const selected = namesOf(fields).map((name) => `${expressions[name] ?? columnOf(name)} AS "${name}"`);
  return {
    ...table,
    fields,
    assignsIds,
    columns: [...columns, ...Object.entries(otherColumns)],
    selected: selected.join(", "),
  };
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
