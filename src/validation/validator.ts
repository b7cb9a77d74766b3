import { Compile, type Validator as SchemaValidator } from "typebox/schema";
import { isInt64 } from "../base/int64.ts";
import type { Complaint } from "../operations/invalid-input.ts";
import {
  acceptsText,
  expects,
  type Fields,
  isItemized,
  type JsonSchema,
  mostValues,
  type ObjectSchema,
} from "../operations/schema.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Checks the fields of a body or of a query, and names all that are wrong, not only the first. */
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

  /** Adds to the complaints whatever is wrong. */
  check(values: Values, complaints: Complaint[]): void {
    for (const { name, required, accepts } of this.#list) {
      const value = values[name];
      if (value === undefined ? required : !accepts(value)) complaints.push(this.reject(name, value));
    }
  }

  unknown(names: Iterable<string>): Complaint[] {
    return [...names]
      .filter((name) => !this.#fields.has(name))
      .slice(0, mostUnknown)
      .map((name) => this.complain(name.slice(0, longestName), "is unknown; leave it out."));
  }

  repeated(paths: readonly (readonly string[])[]): Complaint[] {
    return paths.slice(0, mostUnknown).map((path) => {
      const pointer = this.part + path.map((name) => encode(name.slice(0, longestName))).join("/");
      return { pointer, message: `${path.at(-1)?.slice(0, longestName)} must be given only once.` };
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

/** Where several values are taken, which a body never does: what is a list there is told what it must be instead. */
function expectationOfSeveral(schema: JsonSchema): string {
  const most = schema[mostValues];
  return most === undefined
    ? String(schema[expects])
    : `${schema[expects]}, or up to ${most} of them separated by commas`;
}

/** As part of a JSON pointer in a fragment (RFC 6901, 6), or of a query. A name cut in the middle of a pair has no encoding. */
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

/** So that a client that sends nonsense is not answered with all of it. */
const mostUnknown = 10;
const longestName = 64;

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
  const most = schema[mostValues];
  if (most === undefined) return accepts;
  return (value) => (Array.isArray(value) ? value.length <= most && value.every(accepts) : accepts(value));
}

function checkOf(schema: JsonSchema): (value: unknown) => boolean {
  // The validator would take an exact bigint for something else than an integer.
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
    // A lone surrogate is no character, which not every language can express in a pattern.
    return validator.Check(value) && (typeof value !== "string" || (value.isWellFormed() && accepts(value)));
  };
}

/**
 * Many operations have the same fields. They are just objects to the library: it would have TypeScript work out which type any of them
 * stands for, which takes a third of the time of checking everything.
 */
function validatorOf(schema: JsonSchema): SchemaValidator<object> {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile<object>(schema);
    validators.set(schema, validator);
  }
  return validator;
}

const validators = new WeakMap<JsonSchema, SchemaValidator<object>>();
