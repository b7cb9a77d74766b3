import type { Int64 } from "../domain/int64.ts";
import { type Input, type Operation, queryFields } from "../operations/operation.ts";
import type { Fields, JsonSchema, ObjectSchema } from "../operations/schema.ts";
import { type BodyLimits, readBody } from "./body.ts";
import { badRequest, type Complaint, HttpError } from "./errors.ts";
import { positionOf } from "./paging.ts";
import { Validator, type Values, valueOfText } from "./validation.ts";

/** Reads and checks what one operation is called with, against the schemas of its definition. */
export class InputReader {
  readonly #params: Validator;
  readonly #queryFields: Fields;
  readonly #query: Validator;
  readonly #body: Validator | undefined;

  constructor(
    readonly operation: Operation,
    readonly limits: BodyLimits,
  ) {
    this.#params = new Validator(operation.params ?? {}, "?");
    this.#queryFields = queryFields(operation);
    this.#query = new Validator(this.#queryFields, "?");
    this.#body = operation.body && Validator.ofBody(operation.body.schema);
  }

  /** With `strict`, what is unknown is refused and not ignored. */
  async read(
    request: Request,
    pathTexts: Readonly<Record<string, string>>,
    queryText: string,
    strict: boolean,
  ): Promise<Input<Fields, Fields, ObjectSchema>> {
    const params = this.#readParams(pathTexts);
    const { query, after, complaints } = this.#readQuery(queryText, strict);
    const body = this.operation.body ? await readBody(request, this.operation.body, this.limits) : {};
    if (this.#body) complaints.push(...this.#body.check(body));
    if (this.#body && strict) complaints.push(...this.#body.unknown(Object.keys(body)));
    if (complaints.length > 0) throw badRequest(complaints);
    return { params, query, body, after };
  }

  #readParams(texts: Readonly<Record<string, string>>): Values {
    const params = mapValues(this.operation.params ?? {}, (schema, name) => valueOfText(schema, texts[name] ?? ""));
    const [complaint] = this.#params.check(params);
    if (complaint) throw new HttpError("NotFound", `There is nothing at this address: ${complaint.message}`);
    return params;
  }

  #readQuery(text: string, strict: boolean): QueryInput {
    const given = new URLSearchParams(text);
    const values = mapValues(this.#queryFields, (schema, name) => {
      const value = given.get(name);
      return value === null ? undefined : valueOfText(schema, value);
    });
    const complaints = this.#query.check(values);
    for (const name of Object.keys(this.#queryFields)) {
      if (given.getAll(name).length > 1) complaints.push(this.#query.complain(name, "must be given once."));
    }
    if (strict) complaints.push(...this.#query.unknown(new Set(given.keys())));
    const { cursor, ...query } = values;
    if (cursor === undefined) return { query, after: undefined, complaints };
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

function mapValues<Result>(fields: Fields, map: (schema: JsonSchema, name: string) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, map(schema, name)]));
}
