import { ErrorBody, type ErrorCode, errorCodes, errorKinds, ProblemBody, titleOf } from "../operations/errors.ts";
import { canBeRevalidated, notModified, type Operation, possibleErrors } from "../operations/operation.ts";
import type { JsonSchema } from "../operations/schema.ts";
import { errorHeaders, HeaderComponents, type SentHeaders, successHeaders } from "./headers.ts";

/** Responses that operations share, one for each set of headers. The name of each rarer variant contains its first operation. */
export class SharedResponses {
  readonly #names = new Map<string, string>();
  readonly headers = new HeaderComponents();
  readonly definitions: Record<string, object> = {};

  constructor(operations: readonly Operation[], components: Components) {
    const reads = operations.filter(canBeRevalidated);
    this.#describe("NotModified", reads, successHeaders, { description: notModified.meaning });
    for (const code of errorCodes) {
      const affected = operations.filter((operation) => possibleErrors(operation).includes(code));
      this.#describe(code, affected, (operation) => errorHeaders(operation, code), describeError(code, components));
    }
  }

  refer(response: "NotModified" | ErrorCode, operation: Operation): { readonly $ref: string } {
    return { $ref: `#/components/responses/${this.#names.get(`${response} of ${operation.id}`)}` };
  }

  #describe(
    response: "NotModified" | ErrorCode,
    operations: readonly Operation[],
    headersOf: (operation: Operation) => SentHeaders,
    body: { readonly description: string },
  ): void {
    const groups = [...Map.groupBy(operations, (operation) => JSON.stringify(headersOf(operation))).values()];
    const [largest] = groups.toSorted((one, other) => other.length - one.length);
    for (const group of groups) {
      const [first] = group;
      if (!first) continue;
      const name = group === largest ? response : `${response}Of${capitalize(first.id)}`;
      for (const { id } of group) this.#names.set(`${response} of ${id}`, name);
      const { description, ...content } = body;
      this.definitions[name] = { description, headers: this.headers.refer(headersOf(first)), ...content };
    }
  }
}

function describeError(code: ErrorCode, components: Components) {
  const { status, meaning, example: message } = errorKinds[code];
  const problem = { type: `/docs/errors#${code}`, title: titleOf(code), status, detail: message, code };
  return {
    description: meaning,
    content: {
      "application/json": {
        schema: components.use(ErrorBody),
        examples: { error: { summary: code, value: { code, message, status } } },
      },
      "application/problem+json": {
        schema: components.use(ProblemBody),
        examples: { problem: { summary: code, value: problem } },
      },
    },
  };
}

function capitalize(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

export type Definition = Readonly<Record<string, unknown>>;

export class Components {
  readonly schemas: Readonly<Record<string, Definition>>;
  readonly #descriptions: ReadonlyMap<unknown, unknown>;

  constructor(named: readonly JsonSchema[]) {
    this.#descriptions = new Map(named.map(({ $id, description }) => [$id, description]));
    this.schemas = Object.fromEntries(named.map(({ $id, ...definition }) => [$id, this.#convert(definition)]));
  }

  /** Returns a schema without a name itself, and a reference to a schema with a name, with its own description if that differs. */
  use(schema: Omit<JsonSchema, "type">): Definition {
    const { $id: name, ...definition } = schema;
    if (!name) return this.#convert(definition);
    const { description } = definition;
    const isRedundant = description === undefined || description === this.#descriptions.get(name);
    return { $ref: `#/components/schemas/${name}`, ...(!isRedundant && { description }) };
  }

  #convert(definition: Definition): Definition {
    return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, this.#convertValue(value)]));
  }

  #convertValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#convertValue(item));
    return typeof value === "object" && value !== null ? this.use(value as JsonSchema) : value;
  }
}
