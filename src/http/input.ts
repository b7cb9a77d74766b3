import type { Awaitable } from "../domain/awaitable.ts";
import type { Int64 } from "../domain/int64.ts";
import { type Input, isRepeatable, type Operation, queryFields } from "../operations/operation.ts";
import type { Fields, JsonSchema, ObjectSchema } from "../operations/schema.ts";
import { type BodyLimits, readBody } from "./body.ts";
import { badRequest, type Complaint, HttpError } from "./errors.ts";
import { idempotencyKeyComplaints } from "./idempotency.ts";
import { positionOf } from "./paging.ts";
import { Validator, type Values, valueOfText } from "./validation.ts";

/** Reads and checks what one operation is called with, against the schemas of its definition. */
export class InputReader {
  readonly #params: Validator;
  readonly #queryFields: ReadonlyMap<string, JsonSchema>;
  readonly #query: Validator;
  readonly #body: Validator | undefined;

  constructor(
    readonly operation: Operation,
    readonly limits: BodyLimits,
  ) {
    this.#params = new Validator(operation.params ?? {}, "?");
    const fields = queryFields(operation);
    this.#queryFields = new Map(Object.entries(fields));
    this.#query = new Validator(fields, "?");
    this.#body = operation.body && Validator.ofBody(operation.body.schema);
  }

  /** With `strict`, what is unknown is refused and not ignored. */
  read(
    request: Request,
    pathTexts: Readonly<Record<string, string>>,
    queryText: string,
    strict: boolean,
  ): Awaitable<Input<Fields, Fields, ObjectSchema>> {
    const params = this.operation.params ? this.#readParams(this.operation.params, pathTexts) : {};
    const { query, after, complaints } = this.#readQuery(queryText, strict);
    if (isRepeatable(this.operation)) complaints.push(...idempotencyKeyComplaints(request));
    if (this.#body) return this.#readBody(request, this.#body, strict, complaints, { params, query, after });
    if (complaints.length > 0) throw badRequest(complaints);
    return { params, query, body: {}, after };
  }

  async #readBody(
    request: Request,
    validator: Validator,
    strict: boolean,
    complaints: Complaint[],
    rest: Omit<Input<Fields, Fields, ObjectSchema>, "body">,
  ): Promise<Input<Fields, Fields, ObjectSchema>> {
    const { values, repeated } = await readBody(request, this.operation.body ?? {}, this.limits, strict);
    complaints.push(...validator.check(values));
    if (strict) complaints.push(...validator.unknown(Object.keys(values)), ...validator.repeated(repeated));
    if (complaints.length > 0) throw badRequest(complaints);
    return { ...rest, body: values };
  }

  #readParams(fields: Fields, texts: Readonly<Record<string, string>>): Values {
    const params: Record<string, unknown> = {};
    for (const name in fields) params[name] = valueOfText(fields[name] as JsonSchema, texts[name] ?? "");
    const [complaint] = this.#params.check(params);
    if (complaint) throw new HttpError("NotFound", `There is nothing at this address: ${complaint.message}`);
    return params;
  }

  #readQuery(text: string, strict: boolean): QueryInput {
    if (text === "") return { query: {}, after: undefined, complaints: [] };
    const query: Record<string, unknown> = {};
    const repeated = new Set<string>();
    for (const [name, value] of parametersIn(text)) {
      const schema = this.#queryFields.get(name);
      if (schema && name in query) repeated.add(name);
      else if (schema) query[name] = valueOfText(schema, value);
    }
    const complaints = this.#query.check(query);
    for (const name of repeated) complaints.push(this.#query.complain(name, "must be given once."));
    if (strict) complaints.push(...this.#query.unknown(new Set(parametersIn(text).map(([name]) => name))));
    const { cursor } = query;
    if (cursor === undefined) return { query, after: undefined, complaints };
    query["cursor"] = undefined;
    const after = positionOf(String(cursor), this.operation, query);
    // With a filter that is wrong, whether the cursor belongs to it cannot be told.
    if (after === undefined && complaints.every(({ pointer }) => pointer === "?limit")) {
      complaints.push(this.#query.reject("cursor"));
    }
    return { query, after, complaints };
  }
}

interface QueryInput {
  readonly query: Values;
  readonly after: Int64 | undefined;
  readonly complaints: Complaint[];
}

/** The parameters of a query, as they stand in it. */
function parametersIn(text: string): [name: string, value: string][] {
  if (isEncoded.test(text)) return [...new URLSearchParams(text)];
  const parameters: [string, string][] = [];
  for (const part of text.split("&")) {
    const end = part.indexOf("=");
    if (end >= 0) parameters.push([part.slice(0, end), part.slice(end + 1)]);
    else if (part !== "") parameters.push([part, ""]);
  }
  return parameters;
}

/** Whether a query holds anything but plain text, which hardly any does. */
const isEncoded = /[%+]|[^\x21-\x7e]/;
