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

export class Validator {
  readonly #fields: readonly { name: string; isRequired: boolean; accepts: (value: unknown) => boolean }[];

  constructor(
    readonly schemas: Fields,
    readonly pointerPrefix: "#/" | "?",
    required: readonly string[] = [],
  ) {
    this.#fields = Object.entries(schemas).map(([name, schema]) => ({
      name,
      isRequired: required.includes(name),
      accepts: createCheck(schema),
    }));
  }

  static ofBody({ properties, required }: ObjectSchema): Validator {
    return new Validator(properties, "#/", required);
  }

  check(values: Values, complaints: Complaint[]): void {
    for (const { name, isRequired, accepts } of this.#fields) {
      const value = values[name];
      if (value === undefined ? isRequired : !accepts(value)) complaints.push(this.createValueComplaint(name, value));
    }
  }

  /** Returns complaints about unknown and repeated names, but not about values, which `check` examines. */
  findComplaintsAboutNames(values: Values, repeated: RepeatedNames): Complaint[] {
    return [
      ...this.findComplaintsAboutUnknownNames(Object.keys(values)),
      ...this.#createRepetitionComplaints(repeated),
    ];
  }

  findComplaintsAboutUnknownNames(names: Iterable<string>): Complaint[] {
    return [...names]
      .filter((name) => !Object.hasOwn(this.schemas, name))
      .slice(0, maxNames)
      .map((name) => this.createComplaint(name.slice(0, maxNameLength), "is unknown; leave it out."));
  }

  #createRepetitionComplaints(paths: RepeatedNames): Complaint[] {
    return paths.slice(0, maxNames).map((path) => {
      const pointer = this.pointerPrefix + path.map((name) => encode(name.slice(0, maxNameLength))).join("/");
      return { pointer, message: `${path.at(-1)?.slice(0, maxNameLength)} must be given only once.` };
    });
  }

  createValueComplaint(name: string, value: unknown): Complaint {
    const { [expects]: expectation, [maxValues]: maxCount } = this.schemas[name] as JsonSchema;
    // Only query parameters accept several values. A list in a body gets the general message for a wrong value.
    const takesSeveral = Array.isArray(value) && maxCount !== undefined;
    const requirement = `must be ${expectation}${takesSeveral ? `, or up to ${maxCount} of them separated by commas` : ""}.`;
    return this.createComplaint(name, value === undefined ? `is missing; it ${requirement}` : requirement);
  }

  createComplaint(name: string, problem: string): Complaint {
    return { pointer: this.pointerPrefix + encode(name), message: `${name} ${problem}` };
  }
}

/** Encodes a name for a JSON pointer in a fragment (RFC 6901, 6), or for a query. Replaces lone surrogates, which have no encoding. */
function encode(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}

const maxNames = 10;
const maxNameLength = 64;

function createCheck(schema: JsonSchema): (value: unknown) => boolean {
  const accepts = createValueCheck(schema);
  const maxCount = schema[maxValues];
  if (maxCount === undefined) return accepts;
  return (value) => (Array.isArray(value) ? value.length <= maxCount && value.every(accepts) : accepts(value));
}

function createInt64Check({ type, minimum, maximum }: JsonSchema): (value: unknown) => boolean {
  const [min, max] = [Number(minimum ?? Number.NEGATIVE_INFINITY), Number(maximum ?? Number.POSITIVE_INFINITY)];
  const isNullable = type.includes("null");
  return (value) => (isInt64(value) ? value >= min && value <= max : isNullable && value === null);
}

function createValueCheck(schema: JsonSchema): (value: unknown) => boolean {
  // TypeBox does not accept a bigint as an integer.
  if (schema.format === "int64") return createInt64Check(schema);
  if (isItemized(schema)) {
    const { minItems, maxItems } = schema;
    return (value) => Array.isArray(value) && value.length >= minItems && value.length <= maxItems;
  }
  const { [acceptsText]: accepts = () => true } = schema;
  // Compiled on first use, because compiling all schemas would delay the start of the service.
  let validator: SchemaValidator<object> | undefined;
  return (value) => {
    validator ??= validators.getOrInsertComputed(schema, compile);
    // Checked here, because not every language can express a pattern that excludes lone surrogates.
    return validator.Check(value) && (typeof value !== "string" || (value.isWellFormed() && accepts(value)));
  };
}

/** Fields with the same schema share its validator. The type argument avoids type inference, which is slow. */
const validators = new WeakMap<JsonSchema, SchemaValidator<object>>();
const compile = (schema: JsonSchema) => Compile<object>(schema);

/** The paths of repeated names in an object, such as `["pets", "0", "name"]`. */
export type RepeatedNames = readonly (readonly string[])[];

export class ItemReader {
  readonly #validator: Validator;
  readonly #copy: (values: Values) => Values;

  constructor(
    readonly name: string,
    schema: ObjectSchema,
  ) {
    this.#validator = Validator.ofBody(schema);
    this.#copy = createBodyCopier(schema);
  }

  includes(path: readonly string[]): boolean {
    return path[0] === this.name && path.length > 2;
  }

  readAll(items: readonly unknown[], isStrict: boolean, repeated: RepeatedNames): (Values | InvalidItem)[] {
    const ownPaths = repeated.filter((path) => this.includes(path));
    const byItem = Map.groupBy(ownPaths, ([, index]) => Number(index));
    return items.map((item, index) => {
      const pathsInItem = byItem.get(index)?.map((path) => path.slice(2));
      return this.read(item, isStrict, pathsInItem);
    });
  }

  read(item: unknown, isStrict: boolean, repeated: RepeatedNames = []): Values | InvalidItem {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return new InvalidItem(item, [notAnObject]);
    const values = item as Values;
    const complaints: Complaint[] = [];
    this.#validator.check(values, complaints);
    if (isStrict) complaints.push(...this.#validator.findComplaintsAboutNames(values, repeated));
    return complaints.length > 0 ? new InvalidItem(item, complaints) : this.#copy(values);
  }
}

export function collectQueryDefaults(fields: Fields): Values {
  const withDefault = Object.entries(fields).filter(([, schema]) => schema["default"] !== undefined);
  return Object.fromEntries(withDefault.map(([name, schema]) => [name, schema["default"]]));
}

/** Returns a function that copies the known fields of a body in the order of the schema, with defaults for omitted ones. */
export function createBodyCopier({ properties }: ObjectSchema): (values: Values) => Values {
  const fields = Object.entries(properties).map(([name, schema]) => [name, schema[whenAbsent]] as const);
  return (values) => {
    const copy: Record<string, unknown> = {};
    for (const [name, defaultValue] of fields) {
      const value = values[name] === undefined ? defaultValue : values[name];
      if (value !== undefined) copy[name] = value;
    }
    return copy;
  };
}

/** Parses a malformed integer as NaN, which no field accepts. Sorts several values, so that a cursor works with them in any order. */
export function parseParameter(schema: JsonSchema, text: string): unknown {
  if (schema[maxValues] === undefined || !text.includes(",")) return parseValue(schema, text);
  const values = [...new Set(text.split(",").map((part) => parseValue(schema, part)))].sort(ascending);
  return values.length > 1 ? values : values[0];
}

function parseValue(schema: JsonSchema, text: string): Int64 | string {
  return schema.type === "integer" ? (parseInt64(text) ?? Number.NaN) : text;
}

function ascending(one: Int64 | string, other: Int64 | string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
