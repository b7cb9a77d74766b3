import type { Int64 } from "../base/int64.ts";
import type { OneOrMore } from "../domain/page.ts";
import type { InvalidItem } from "./invalid-input.ts";

/** Ends the sentence "the field must be ..." in the error message that names the field. It is no part of the document. */
export const expects = Symbol("expects");

/**
 * What a field of a body, or the order of a list, stands for when it is left out. The document says it in words, because generated clients take a
 * field with a `default` for one that is always there.
 */
export const whenAbsent = Symbol("whenAbsent");

/** Checks a text in a way that JSON Schema cannot express. */
export const acceptsText = Symbol("acceptsText");

/** Of a query parameter: how many values it takes at most, separated by commas. */
export const mostValues = Symbol("mostValues");

/**
 * A JSON Schema as the OpenAPI document shows it. It is also what requests are checked against and,
 * through `Static`, the type of what has passed.
 */
export interface JsonSchema {
  /** The schema's name in the document. */
  readonly $id?: string;
  readonly type: TypeName | readonly [TypeName, "null"];
  readonly description?: string;
  readonly format?: string;
  readonly [expects]?: string;
  readonly [whenAbsent]?: unknown;
  readonly [mostValues]?: number;
  readonly [acceptsText]?: (text: string) => boolean;
  readonly [keyword: string]: unknown;
}

type TypeName = "object" | "array" | "string" | "integer" | "boolean" | "null";

/** Of a list in a body: its items are checked one by one, and the handler decides what becomes of those that are wrong. */
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

/** The schema of no body at all. */
export const Nothing = { type: "null" } as const;

/** The schema of a body that has nothing to say. */
export const NoFields = {
  type: "object",
  description: "Nothing needs to be sent.",
  properties: {},
} as const;

export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Fields;
  readonly required?: readonly string[];
}

/** The same schema, of objects that hold nothing else. */
export function closed<Schema extends ObjectSchema>(schema: Schema) {
  return { ...schema, additionalProperties: false } as const;
}

export function isClosed(schema: ObjectSchema): boolean {
  return schema["additionalProperties"] === false;
}

export type Fields = Readonly<Record<string, JsonSchema>>;

/** The type of an object after what was left out of it has been filled in. */
export type Filled<Schema extends ObjectSchema> = Static<Schema> & {
  readonly [Name in keyof Schema["properties"] as Schema["properties"][Name] extends { [whenAbsent]: unknown }
    ? Name
    : never]: Static<Schema["properties"][Name]>;
};

/** The type of the values that a schema allows. */
export type Static<Schema> = Schema extends { [mostValues]: number } ? OneOrMore<StaticOne<Schema>> : StaticOne<Schema>;

type StaticOne<Schema> = Schema extends { format: "int64" }
  ? Int64 | (Schema extends { type: readonly ["integer", "null"] } ? null : never)
  : Schema extends { enum: readonly (infer Member)[] }
    ? Member
    : Schema extends { type: readonly ["string", "null"] }
      ? string | null
      : Schema extends { type: "integer" }
        ? number
        : Schema extends { type: "boolean" }
          ? boolean
          : Schema extends { type: "string" }
            ? string
            : Schema extends ItemizedSchema<infer Item>
              ? readonly (Filled<Item> | InvalidItem)[]
              : Schema extends { type: "array"; items: infer Item }
                ? readonly Static<Item>[]
                : Schema extends { type: "object"; properties: infer Properties }
                  ? { readonly [Name in keyof Properties & RequiredOf<Schema>]: Static<Properties[Name]> } & {
                      readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: Static<Properties[Name]>;
                    }
                  : unknown;

type RequiredOf<Schema> = Schema extends { required: readonly (infer Name)[] } ? Name : never;
