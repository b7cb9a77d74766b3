import type { Int64 } from "../base/int64.ts";
import type { OneOrMore } from "../domain/page.ts";
import type { InvalidItem } from "./invalid-input.ts";

/** Keyword for the valid values as text, which completes the message "the field must be ...". */
export const expects = Symbol("expects");

/** Keyword for the default of an omitted field. Generated clients would treat a field with `default` as required. */
export const whenAbsent = Symbol("whenAbsent");

/** Keyword for a function that checks a text by a rule that JSON Schema cannot express. */
export const acceptsText = Symbol("acceptsText");

/** Keyword for the maximum number of comma-separated values. */
export const maxValues = Symbol("maxValues");

/** A JSON Schema of the OpenAPI document. Requests are validated against it; `Static` is the type of its values. */
export interface JsonSchema {
  readonly $id?: string;
  readonly type: TypeName | readonly [TypeName, "null"];
  readonly description?: string;
  readonly format?: string;
  readonly [expects]?: string;
  readonly [whenAbsent]?: unknown;
  readonly [maxValues]?: number;
  readonly [acceptsText]?: (text: string) => boolean;
  readonly [keyword: string]: unknown;
}

type TypeName = "object" | "array" | "string" | "integer" | "boolean" | "null";

/** Marks a list whose items are validated one by one. The handler receives invalid items as `InvalidItem`. */
const itemized = Symbol("itemized");

export interface ItemizedSchema<Item extends ObjectSchema = ObjectSchema> extends JsonSchema {
  readonly type: "array";
  readonly items: Item;
  readonly minItems: number;
  readonly maxItems: number;
  readonly [itemized]: true;
}

export function itemizedList<Item extends ObjectSchema>(items: Item, maxItems: number, description: string) {
  return {
    type: "array",
    description,
    minItems: 1,
    maxItems,
    items,
    [expects]: `a list of 1 to ${maxItems} objects`,
    [itemized]: true,
  } as const satisfies ItemizedSchema<Item>;
}

export function isItemized(schema: JsonSchema): schema is ItemizedSchema {
  return itemized in schema;
}

export const NoBody = { type: "null" } as const;

const NoFields = { type: "object", description: "Nothing needs to be sent.", properties: {} } as const;

export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Fields;
  readonly required?: readonly string[];
}

export function closeSchema<Schema extends ObjectSchema>(schema: Schema) {
  return { ...schema, additionalProperties: false } as const;
}

export const emptyBody = { schema: NoFields, isOptional: true, examples: { nothing: ["Nothing", {}] } } as const;
export const closedEmptyBody = { ...emptyBody, schema: closeSchema(NoFields) } as const;

export function isClosed(schema: ObjectSchema): boolean {
  return schema["additionalProperties"] === false;
}

export type Fields = Readonly<Record<string, JsonSchema>>;

/** The type of an object whose omitted fields have their defaults (`whenAbsent`). */
export type WithDefaults<Schema extends ObjectSchema> = Static<Schema> & {
  readonly [Name in keyof Schema["properties"] as Schema["properties"][Name] extends { [whenAbsent]: unknown }
    ? Name
    : never]: Static<Schema["properties"][Name]>;
};

export type Static<Schema> = Schema extends { [maxValues]: number } ? OneOrMore<StaticOne<Schema>> : StaticOne<Schema>;

/** States the type of a schema's values if its keywords do not show it. The property exists only for the compiler. */
export interface Typed<Value> {
  readonly [typeOfValues]: Value;
}
declare const typeOfValues: unique symbol;

type StaticOne<Schema> =
  Schema extends Typed<infer Value>
    ? Value
    : Schema extends { format: "int64" }
      ? Int64 | (Schema extends { type: readonly ["integer", "null"] } ? null : never)
      : Schema extends { enum: readonly (infer Member)[] }
        ? Member
        : Schema extends { type: infer Type extends keyof Primitives }
          ? Primitives[Type]
          : Schema extends { type: readonly [infer Type extends keyof Primitives, "null"] }
            ? Primitives[Type] | null
            : Schema extends ItemizedSchema<infer Item>
              ? readonly (WithDefaults<Item> | InvalidItem)[]
              : Schema extends { type: "array"; items: infer Item }
                ? readonly Static<Item>[]
                : Schema extends { type: "object"; properties: infer Properties }
                  ? { readonly [Name in keyof Properties & RequiredOf<Schema>]: Static<Properties[Name]> } & {
                      readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: Static<Properties[Name]>;
                    }
                  : unknown;

interface Primitives {
  readonly integer: number;
  readonly boolean: boolean;
  readonly string: string;
}

type RequiredOf<Schema> = Schema extends { required: readonly (infer Name)[] } ? Name : never;
