import type { Int64 } from "../../base/int64.ts";
import { type Input, type Operation, queryFields, takesIdempotencyKey } from "../../operations/operation.ts";
import { type Fields, type JsonSchema, type ObjectSchema, whenAbsent } from "../../operations/schema.ts";
import type { Exchange } from "../exchange.ts";
import { idempotencyKeyComplaints } from "../idempotency/idempotency.ts";
import { type PageInput, positionOf } from "../lists/paging.ts";
import { badRequest, type Complaint, HttpError } from "../reply/errors.ts";
import { type BodyLimits, readBody } from "./body.ts";
import { Validator, type Values, valueOfText } from "./validation.ts";

/** What an operation is called with, and the query as it was sent. */
export type AnyInput = Input<Fields, Fields, ObjectSchema> & PageInput;

/**
 * Reads and checks what one operation is called with, against the schemas of its definition, and fills in what is left out.
 * With `isStrict`, what is unknown is refused and not ignored.
 */
export class InputReader {
  readonly #operation: Operation;
  readonly #limits: BodyLimits;
  readonly #paramFields: readonly (readonly [string, JsonSchema])[];
  readonly #params: Validator;
  readonly #queryFields: ReadonlyMap<string, JsonSchema>;
  readonly #query: Validator;
  readonly #queryDefaults: Values;
  readonly #body: Validator | undefined;
  readonly #bodyDefaults: Values;

  constructor(operation: Operation, limits: BodyLimits) {
    this.#operation = operation;
    this.#limits = limits;
    this.#paramFields = Object.entries(operation.params ?? {});
    this.#params = new Validator(operation.params ?? {}, "?");
    const fields = queryFields(operation);
    this.#queryFields = new Map(Object.entries(fields));
    this.#query = new Validator(fields, "?");
    this.#queryDefaults = defaultsOf(fields, "default");
    this.#body = operation.body && Validator.ofBody(operation.body.schema);
    this.#bodyDefaults = defaultsOf(operation.body?.schema.properties ?? {}, whenAbsent);
  }

  /** The input of an operation without a body. Throws BadRequest and NotFound. */
  read(exchange: Exchange, isStrict: boolean): AnyInput {
    const complaints: Complaint[] = [];
    const input = this.#readAddress(exchange, isStrict, complaints);
    if (complaints.length > 0) throw badRequest(complaints);
    return input;
  }

  /** The input with the body, if the operation has one. Throws what is wrong with all of it at once. */
  async readWithBody(exchange: Exchange, isStrict: boolean): Promise<AnyInput> {
    const { request } = exchange;
    const complaints: Complaint[] = [];
    const input = this.#readAddress(exchange, isStrict, complaints);
    if (takesIdempotencyKey(this.#operation)) complaints.push(...idempotencyKeyComplaints(request));
    const body = this.#body ? await this.#readBody(exchange, this.#body, isStrict, complaints) : nothing;
    if (complaints.length > 0) throw badRequest(complaints);
    return { ...input, body };
  }

  async #readBody(
    exchange: Exchange,
    validator: Validator,
    isStrict: boolean,
    complaints: Complaint[],
  ): Promise<Values> {
    const { values, repeated } = await readBody(exchange, this.#operation.body ?? {}, this.#limits, isStrict);
    validator.check(values, complaints);
    if (isStrict) complaints.push(...validator.unknown(Object.keys(values)), ...validator.repeated(repeated));
    return fill(values, this.#bodyDefaults);
  }

  #readAddress({ request, query }: Exchange, isStrict: boolean, complaints: Complaint[]): AnyInput {
    const params = this.#paramFields.length > 0 ? this.#readParams(request.params ?? {}) : nothing;
    if (query === "") return { params, query: this.#queryDefaults, given: nothing, body: nothing, after: undefined };
    const given = this.#readQuery(query, isStrict, complaints);
    const isPaged = this.#operation.paged && given["cursor"] !== undefined;
    const after = isPaged ? this.#readCursor(given, complaints) : undefined;
    return { params, query: fill(given, this.#queryDefaults), given, body: nothing, after };
  }

  #readParams(texts: Readonly<Record<string, string>>): Values {
    const params: Record<string, unknown> = {};
    for (const [name, schema] of this.#paramFields) params[name] = valueOfText(schema, texts[name] ?? "");
    const complaints: Complaint[] = [];
    this.#params.check(params, complaints);
    const [complaint] = complaints;
    if (complaint) throw new HttpError("NotFound", `There is nothing at this path: ${complaint.message}`);
    return params;
  }

  #readQuery(text: string, isStrict: boolean, complaints: Complaint[]): Record<string, unknown> {
    const given: Record<string, unknown> = {};
    let repeated: Set<string> | undefined;
    const parameters = parametersIn(text);
    for (let index = 0; index < parameters.length; index += 2) {
      const name = parameters[index] ?? "";
      const schema = this.#queryFields.get(name);
      if (!schema) continue;
      if (given[name] === undefined) given[name] = valueOfText(schema, parameters[index + 1] ?? "");
      else repeated = (repeated ?? new Set()).add(name);
    }
    this.#query.check(given, complaints);
    for (const name of repeated ?? []) complaints.push(this.#query.complain(name, "must be given only once."));
    if (isStrict) {
      const names = parameters.filter((_, index) => index % 2 === 0);
      complaints.push(...this.#query.unknown(new Set(names)));
    }
    return given;
  }

  /** Takes the cursor out of the query, which is otherwise the same on all pages of a list. */
  #readCursor(given: Record<string, unknown>, complaints: Complaint[]): Int64 | undefined {
    const cursor = String(given["cursor"]);
    given["cursor"] = undefined;
    const after = positionOf(cursor, this.#operation, given);
    // With a filter that is wrong, whether the cursor belongs to it cannot be told.
    if (after === undefined && complaints.every(({ pointer }) => pointer === "?limit")) {
      complaints.push(this.#query.reject("cursor"));
    }
    return after;
  }
}

const nothing: Values = {};

function defaultsOf(fields: Fields, keyword: "default" | typeof whenAbsent): Values {
  const given = Object.entries(fields).filter(([, schema]) => schema[keyword] !== undefined);
  return Object.fromEntries(given.map(([name, schema]) => [name, schema[keyword]]));
}

/** The values, and what is left out of them. */
function fill(values: Values, defaults: Values): Values {
  let filled: Record<string, unknown> | undefined;
  for (const name in defaults) {
    if (values[name] !== undefined) continue;
    filled ??= { ...values };
    filled[name] = defaults[name];
  }
  return filled ?? values;
}

/** The parameters of a query, as they stand in it: a name, its value, the next name, and so on. */
function parametersIn(text: string): string[] {
  if (isEncoded.test(text)) return [...new URLSearchParams(text)].flat();
  const parameters: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("&", start);
    if (end < 0) end = text.length;
    const equals = text.indexOf("=", start);
    if (equals >= 0 && equals < end) parameters.push(text.slice(start, equals), text.slice(equals + 1, end));
    else if (start < end) parameters.push(text.slice(start, end), "");
    start = end + 1;
  }
  return parameters;
}

/** Whether a query holds anything but plain text, which hardly any does. */
const isEncoded = /[%+]|[^\x21-\x7e]/;
