import { ifPossible } from "../../base/files.ts";
import type { PageStart } from "../../domain/page-cursor.ts";
import { type Complaint, collectComplaints, InvalidInput } from "../../operations/invalid-input.ts";
import { type Input, type Operation, queryFields, takesIdempotencyKey } from "../../operations/operation.ts";
import { emptyBody, type Fields, isItemized, type JsonSchema, type ObjectSchema } from "../../operations/schema.ts";
import {
  collectQueryDefaults,
  createBodyCopier,
  ItemReader,
  parseParameter,
  type RepeatedNames,
  Validator,
  type Values,
} from "../../validation/validator.ts";
import { uncountedBodyBytes } from "../../wire/incoming-body.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import { findIdempotencyKeyComplaints } from "../idempotency.ts";
import { type PageInput, parsePageCursor } from "../paging.ts";
import { type BodyLimits, readBody, requireNoBrokenBody } from "./body.ts";
import type { BodyMemory } from "./body-memory.ts";

export type AnyInput = Input<Fields, Fields, ObjectSchema> & PageInput;

/** Validates the input of one operation against its schemas, and fills in defaults. If `isStrict`, unknown names are errors. */
export class InputReader {
  readonly #operation: Operation;
  readonly #limits: BodyLimits;
  readonly #bodyMemory: BodyMemory | undefined;
  readonly #paramFields: readonly (readonly [string, JsonSchema])[];
  readonly #params: Validator;
  readonly #queryFields: ReadonlyMap<string, JsonSchema>;
  readonly #query: Validator;
  readonly #queryDefaults: Values;
  readonly #body: Validator | undefined;
  readonly #copyBody: (values: Values) => Values;
  readonly #lists: readonly ItemReader[];

  constructor(operation: Operation, limits: BodyLimits, bodyMemory?: BodyMemory) {
    this.#operation = operation;
    const { kibibytes } = operation.body ?? {};
    this.#limits = kibibytes === undefined ? limits : { ...limits, maxBytes: kibibytes * 1024 };
    this.#bodyMemory = this.#limits.maxBytes > uncountedBodyBytes ? bodyMemory : undefined;
    this.#paramFields = Object.entries(operation.params ?? {});
    this.#params = new Validator(operation.params ?? {}, "?");
    const fields = queryFields(operation);
    this.#queryFields = new Map(Object.entries(fields));
    this.#query = new Validator(fields, "?");
    this.#queryDefaults = collectQueryDefaults(fields);
    this.#body = operation.body && Validator.ofBody(operation.body.schema);
    const bodyFields = operation.body?.schema.properties ?? {};
    this.#copyBody = createBodyCopier(operation.body?.schema ?? emptyBody.schema);
    this.#lists = Object.entries(bodyFields).flatMap(([name, field]) =>
      isItemized(field) ? [new ItemReader(name, field.items)] : [],
    );
  }

  /** Throws BadRequest or NotFound. `complain` may add complaints about the input. */
  read(exchange: Exchange, isStrict: boolean, complain?: (input: AnyInput) => Iterable<Complaint>): AnyInput {
    const complaints: Complaint[] = [];
    const input = this.#readUrl(exchange, isStrict, complaints);
    if (complain) complaints.push(...complain(input));
    if (complaints.length > 0) throw new InvalidInput(complaints);
    return input;
  }

  async readWithBody(exchange: Exchange, isStrict: boolean): Promise<AnyInput> {
    const { request } = exchange;
    if (!this.#body) requireNoBrokenBody(request, this.#limits);
    const complaints: Complaint[] = [];
    const input = this.#readUrl(exchange, isStrict, complaints);
    if (takesIdempotencyKey(this.#operation)) complaints.push(...findIdempotencyKeyComplaints(request));
    const body = this.#body ? await this.#readBody(exchange, this.#body, isStrict, complaints) : noValues;
    if (complaints.length > 0) throw new InvalidInput(complaints);
    return { ...input, body };
  }

  async #readBody(
    exchange: Exchange,
    validator: Validator,
    isStrict: boolean,
    complaints: Complaint[],
  ): Promise<Values> {
    const memory = exchange.caller && this.#bodyMemory?.budgetFor(exchange.caller.family);
    const { values, repeated } = await readBody(exchange, this.#operation.body ?? {}, this.#limits, memory, isStrict);
    validator.check(values, complaints);
    if (isStrict) {
      const others = repeated.filter((path) => !this.#lists.some((list) => list.includes(path)));
      complaints.push(...validator.findComplaintsAboutNames(values, others));
    }
    const body = this.#copyBody(values);
    return this.#lists.length === 0 ? body : this.#readLists(body, isStrict, repeated, complaints);
  }

  #readLists(values: Values, isStrict: boolean, repeated: RepeatedNames, complaints: Complaint[]): Values {
    const result: Record<string, unknown> = { ...values };
    for (const list of this.#lists) {
      const items = values[list.name];
      if (!Array.isArray(items) || complaints.some(({ pointer }) => pointer === `#/${list.name}`)) continue;
      const readItems = list.readAll(items, isStrict, repeated);
      // The handler reports invalid items. If other input is wrong, the handler is not called, so the invalid items are reported here.
      if (complaints.length > 0) complaints.push(...collectComplaints(list.name, readItems, complaints.length));
      result[list.name] = readItems;
    }
    return result;
  }

  #readUrl({ params: texts, query }: Exchange, isStrict: boolean, complaints: Complaint[]): AnyInput {
    const params = this.#paramFields.length > 0 ? this.#readParams(texts) : noValues;
    if (query === "") return { params, query: this.#queryDefaults, given: noValues, body: noValues, ...firstPage };
    const given = this.#readQuery(query, isStrict, complaints);
    const isPaged = this.#operation.isPaged && given["cursor"] !== undefined;
    const { after, afterName } = (isPaged && this.#readCursor(params, given, complaints)) || firstPage;
    const input = { params, query: { ...this.#queryDefaults, ...given }, given, body: noValues, after, afterName };
    if (this.#operation.complain) complaints.push(...this.#operation.complain(input));
    return input;
  }

  #readParams(texts: Readonly<Record<string, string>>): Values {
    const params: Record<string, unknown> = {};
    for (const [name, schema] of this.#paramFields) params[name] = parseParameter(schema, texts[name] ?? "");
    const complaints: Complaint[] = [];
    this.#params.check(params, complaints);
    const [complaint] = complaints;
    if (complaint) throw new HttpError("NotFound", `There is nothing at this path: ${complaint.message}`);
    return params;
  }

  #readQuery(text: string, isStrict: boolean, complaints: Complaint[]): Record<string, unknown> {
    const given: Record<string, unknown> = {};
    let repeated: Set<string> | undefined;
    const parameters = splitQuery(text);
    for (let index = 0; index < parameters.length; index += 2) {
      const name = parameters[index] ?? "";
      const schema = this.#queryFields.get(name);
      if (!schema) continue;
      if (given[name] === undefined) given[name] = parseParameter(schema, parameters[index + 1] ?? "");
      else repeated = (repeated ?? new Set()).add(name);
    }
    this.#query.check(given, complaints);
    for (const name of repeated ?? []) complaints.push(this.#query.createComplaint(name, "must be given only once."));
    if (isStrict) {
      const names = parameters.filter((_, index) => index % 2 === 0);
      complaints.push(...this.#query.findComplaintsAboutUnknownNames(new Set(names)));
    }
    return given;
  }

  /** Returns the start of the page, and removes the cursor from the query, which is otherwise the same for all pages of a list. */
  #readCursor(params: Values, given: Record<string, unknown>, complaints: Complaint[]): PageStart | undefined {
    const cursor = String(given["cursor"]);
    given["cursor"] = undefined;
    const pageStart = parsePageCursor(cursor, this.#operation, params, given);
    if (!pageStart) complaints.push(this.#query.createValueComplaint("cursor", cursor));
    return pageStart;
  }
}

const noValues: Values = {};
const firstPage = { after: undefined, afterName: undefined };

function splitQuery(text: string): string[] {
  if (encodedPattern.test(text)) {
    requireUtf8(text);
    return [...new URLSearchParams(text)].flat();
  }
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

/** Throws BadRequest for invalid UTF-8, which a decoder would silently replace with other characters. */
function requireUtf8(query: string): void {
  for (const [bytes] of query.matchAll(/(?:%[\dA-Fa-f]{2})+/g)) {
    const text = ifPossible(() => decodeURIComponent(bytes));
    if (text === undefined) throw new HttpError("BadRequest", "The query is not valid UTF-8.");
  }
}

/** Matches a query with encoded or unusual characters, which is rare. All other queries skip the slower parser. */
const encodedPattern = /[%+]|[^\x21-\x7e]/;
