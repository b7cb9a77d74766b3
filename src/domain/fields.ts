import { formatTime } from "../base/format-time.ts";
import type { Int64 } from "../base/int64.ts";

/** One field of a resource. Types, schemas, columns, events, exports and CSV are derived from the declaration in the resource's module. */
export interface Field {
  /** An `int64` may exceed 2^53; a `name` is searchable text; a `time` is in milliseconds since 1970, and text in the API. */
  readonly kind: "id" | "int64" | "number" | "name" | "text" | "choice" | "time";
  readonly of?: readonly string[];
  readonly maxLength?: number;
  /** True if the value may be null, which is also the default. */
  readonly isOptional?: true;
  readonly default?: string;
  /** The time at which clients may set the field: `once`, at creation, or `always`. Absent if only the service sets it. */
  readonly set?: "once" | "always";
}

/** The fields of a resource, in the order in which the API returns them. */
export type ResourceFields = Readonly<Record<string, Field>>;

export type ValuesOf<Fields extends ResourceFields> = { readonly [Name in keyof Fields]: ValueOf<Fields[Name]> };

type ValueOf<One extends Field> = RequiredValue<One> | (One extends { isOptional: true } ? null : never);
type RequiredValue<One extends Field> = One extends { of: readonly (infer Choice)[] }
  ? Choice
  : { id: number; time: number; number: number; int64: Int64; name: string; text: string; choice: string }[One["kind"]];

export type NewFields<Fields extends ResourceFields> = FieldsMatching<Fields, { set: string }>;

/** The values of a new resource. A client may send any 64-bit integer as an id. */
export type NewValuesOf<Fields extends ResourceFields> = {
  readonly [Name in keyof NewFields<Fields>]: Fields[Name] extends { kind: "id" } ? Int64 : ValueOf<Fields[Name]>;
};

type ChangeableFields<Fields extends ResourceFields> = FieldsMatching<Fields, { set: "always" }>;

type FieldsMatching<Fields extends ResourceFields, Wanted> = {
  readonly [Name in keyof Fields as Fields[Name] extends Wanted ? Name : never]: Fields[Name];
};

export type ChangesOf<Fields extends ResourceFields> = {
  readonly [Name in keyof ChangeableFields<Fields>]?: ValueOf<Fields[Name]> | undefined;
};

export type PresentedOf<Fields extends ResourceFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { kind: "time" }
    ? string | (Fields[Name] extends { isOptional: true } ? null : never)
    : ValueOf<Fields[Name]>;
};

export function namesOf<Fields extends object>(fields: Fields): readonly (keyof Fields & string)[] {
  return Object.keys(fields) as (keyof Fields & string)[];
}

export function selectNewFields<Fields extends ResourceFields>(fields: Fields): NewFields<Fields> {
  return selectFields(fields, ({ set }) => set !== undefined) as NewFields<Fields>;
}

export function selectChangeableFields<Fields extends ResourceFields>(fields: Fields): ChangeableFields<Fields> {
  return selectFields(fields, ({ set }) => set === "always") as ChangeableFields<Fields>;
}

function selectFields(fields: ResourceFields, isWanted: (field: Field) => boolean): ResourceFields {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => isWanted(field)));
}

/** Copies the named fields of an item, in the order of `names`. */
export function pick<Item extends object, Name extends keyof Item>(
  item: Item,
  names: readonly Name[],
): Pick<Item, Name> {
  const picked: Partial<Pick<Item, Name>> = {};
  for (const name of names) picked[name] = item[name];
  return picked as Pick<Item, Name>;
}

export function withChanges<Item extends object>(
  item: Item,
  changes: { readonly [Name in keyof Item]?: unknown },
): Item {
  const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...item, ...Object.fromEntries(definedChanges) };
}

/** Returns a function that converts the times of a resource to text, as in the API. */
export function createPresenter<Fields extends ResourceFields>(
  fields: Fields,
): (item: ValuesOf<Fields>) => PresentedOf<Fields> {
  const names = namesOf(fields);
  return (item) => {
    const presented: Record<string, unknown> = {};
    for (const name of names) {
      const value = item[name];
      presented[name] = fields[name]?.kind === "time" && value !== null ? formatTime(value as number) : value;
    }
    return presented as PresentedOf<Fields>;
  };
}
