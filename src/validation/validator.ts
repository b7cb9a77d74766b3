import { Compile, type Validator as SchemaValidator } from "typebox/schema";
import { type Int64, isInt64, parseInt64 } from "../base/int64.ts";
import { type Complaint, InvalidItem, notAnObject } from "../operations/invalid-input.ts";
import {
  acceptsText,
  expects,
  type Fields,
  isItemized,
  type JsonSchema,
  maxValues,
  type ObjectSchema,
  whenAbsent,
} from "../operations/schema.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Validates the fields of a body or of a query, and complains about every invalid one. */
export class Validator {
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #list: readonly Field[];

  constructor(
    fields: Fields,
    readonly part: "#/" | "?",
    required: readonly string[] = [],
  ) {
    this.#list = Object.entries(fields).map(([name, schema]) => ({
      name,
      required: required.includes(name),
      expectation: String(schema[expects]),
      expectationOfSeveral: expectationOfSeveral(schema),
      accepts: checkOfAll(schema),
    }));
    this.#fields = new Map(this.#list.map((field) => [field.name, field]));
  }

  static ofBody({ properties, required }: ObjectSchema): Validator {
    return new Validator(properties, "#/", required);
  }

  check(values: Values, complaints: Complaint[]): void {
    for (const { name, required, accepts } of this.#list) {
      const value = values[name];
      if (value === undefined ? required : !accepts(value)) complaints.push(this.reject(name, value));
    }
  }

  unknown(names: Iterable<string>): Complaint[] {
    return [...names]
      .filter((name) => !this.#fields.has(name))
      .slice(0, maxNames)
      .map((name) => this.complain(name.slice(0, maxNameLength), "is unknown; leave it out."));
  }

  repeated(paths: readonly (readonly string[])[]): Complaint[] {
    return paths.slice(0, maxNames).map((path) => {
      const pointer = this.part + path.map((name) => encode(name.slice(0, maxNameLength))).join("/");
      return { pointer, message: `${path.at(-1)?.slice(0, maxNameLength)} must be given only once.` };
    });
  }

  reject(name: string, value: unknown): Complaint {
    const { expectation, expectationOfSeveral } = this.#fields.get(name) as Field;
    const must = `must be ${Array.isArray(value) ? expectationOfSeveral : expectation}.`;
    return this.complain(name, value === undefined ? `is missing; it ${must}` : must);
  }

  complain(name: string, problem: string): Complaint {
    return { pointer: this.part + encode(name), message: `${name} ${problem}` };
  }
}

/** Only query parameters take several values. In a body, a list gets the expectation of one value. */
function expectationOfSeveral(schema: JsonSchema): string {
  const most = schema[maxValues];
  return most === undefined
    ? String(schema[expects])
    : `${schema[expects]}, or up to ${most} of them separated by commas`;
}

/** Encodes a name for a JSON pointer in a fragment (RFC 6901, 6), or for a query. A cut surrogate pair has no encoding. */
function encode(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly expectation: string;
  readonly expectationOfSeveral: string;
  accepts(value: unknown): boolean;
}

/** Maximum number of unknown or repeated names in a response. */
const maxNames = 10;
const maxNameLength = 64;

function int64Check({ type, minimum, maximum }: JsonSchema): (value: unknown) => boolean {
  if (type.includes("null")) {
    const accepts = int64Check({ type: "integer", minimum, maximum });
    return (value) => value === null || accepts(value);
  }
  if (minimum === undefined && maximum === undefined) return isInt64;
  const [lowest, highest] = [Number(minimum ?? Number.NEGATIVE_INFINITY), Number(maximum ?? Number.POSITIVE_INFINITY)];
  return (value) => isInt64(value) && value >= lowest && value <= highest;
}

function checkOfAll(schema: JsonSchema): (value: unknown) => boolean {
  const accepts = checkOf(schema);
  const most = schema[maxValues];
  if (most === undefined) return accepts;
  return (value) => (Array.isArray(value) ? value.length <= most && value.every(accepts) : accepts(value));
}

function checkOf(schema: JsonSchema): (value: unknown) => boolean {
  // The library does not accept a bigint as an integer.
  if (schema.format === "int64") return int64Check(schema);
  if (isItemized(schema)) {
    const { minItems, maxItems } = schema;
    return (value) => Array.isArray(value) && value.length >= minItems && value.length <= maxItems;
  }
  const { [acceptsText]: accepts = () => true } = schema;
  // Compiled on first use: compiling every schema would delay the start of the service.
  let validator: SchemaValidator<object> | undefined;
  return (value) => {
    validator ??= validatorOf(schema);
    // Not every language can express in a pattern that a lone surrogate is no character.
    return validator.Check(value) && (typeof value !== "string" || (value.isWellFormed() && accepts(value)));
  };
}

/** Shared by operations with the same fields. `object` keeps TypeScript from inferring types, which takes a third of its time. */
function validatorOf(schema: JsonSchema): SchemaValidator<object> {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile<object>(schema);
    validators.set(schema, validator);
  }
  return validator;
}

const validators = new WeakMap<JsonSchema, SchemaValidator<object>>();

/** Paths of the names that an object gives more than once, such as `["pets", "0", "name"]`. */
export type RepeatedNames = readonly (readonly string[])[];

/** Validates the items of a list in a body separately. */
export class ItemReader {
  readonly #validator: Validator;
  readonly #copy: (values: Values) => Values;

  constructor(
    readonly name: string,
    schema: ObjectSchema,
  ) {
    this.#validator = Validator.ofBody(schema);
    this.#copy = bodyCopier(schema);
  }

  /** True if the path within the body leads into an item. */
  includes(path: readonly string[]): boolean {
    return path[0] === this.name && path.length > 2;
  }

  readAll(items: readonly unknown[], isStrict: boolean, repeated: RepeatedNames): (Values | InvalidItem)[] {
    const own = repeated.filter((path) => this.includes(path));
    const byItem = Map.groupBy(own, ([, index]) => Number(index));
    const inItem = (index: number) => byItem.get(index)?.map((path) => path.slice(2));
    return items.map((item, index) => this.read(item, isStrict, inItem(index)));
  }

  /** Returns the item with its defaults, or with the complaints about it. */
  read(item: unknown, isStrict: boolean, repeated: RepeatedNames = []): Values | InvalidItem {
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      return new InvalidItem(item, [notAnObject]);
    }
    const values = item as Values;
    const complaints: Complaint[] = [];
    this.#validator.check(values, complaints);
    if (isStrict)
      complaints.push(...this.#validator.unknown(Object.keys(values)), ...this.#validator.repeated(repeated));
    return complaints.length > 0 ? new InvalidItem(item, complaints) : this.#copy(values);
  }
}

/** Returns the values of omitted query parameters. */
export function queryDefaults(fields: Fields): Values {
  const given = Object.entries(fields).filter(([, schema]) => schema["default"] !== undefined);
  return Object.fromEntries(given.map(([name, schema]) => [name, schema["default"]]));
}

/** Returns the values, and the defaults of those that are missing. */
export function withDefaults(values: Values, defaults: Values): Values {
  let filled: Record<string, unknown> | undefined;
  for (const name in defaults) {
    if (values[name] !== undefined) continue;
    filled ??= { ...values };
    filled[name] = defaults[name];
  }
  return filled ?? values;
}

/** Returns a function that copies a body: its known fields in the order of the schema, with defaults for those that are omitted. */
export function bodyCopier({ properties }: ObjectSchema): (values: Values) => Values {
  const fields = Object.entries(properties).map(([name, schema]) => [name, schema[whenAbsent]] as const);
  return (values) => {
    const copy: Record<string, unknown> = {};
    for (const [name, omitted] of fields) {
      const value = values[name] === undefined ? omitted : values[name];
      if (value !== undefined) copy[name] = value;
    }
    return copy;
  };
}

/**
 * Returns the value of a parameter; NaN, which no field accepts, instead of a malformed integer. Several values are sorted and unique,
 * so that each list has one cache key.
 */
export function parseParameter(schema: JsonSchema, text: string): unknown {
  if (schema[maxValues] === undefined || !text.includes(",")) return oneValueOf(schema, text);
  const values = [...new Set(text.split(",").map((part) => oneValueOf(schema, part)))].sort(ascending);
  return values.length > 1 ? values : values[0];
}

function oneValueOf(schema: JsonSchema, text: string): Int64 | string {
  return schema.type === "integer" ? (parseInt64(text) ?? Number.NaN) : text;
}

function ascending(one: Int64 | string, other: Int64 | string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** True for a malformed integer. */
export function isMalformedInteger(schema: JsonSchema, text: string): boolean {
  return Number.isNaN(parseParameter(schema, text));
}
