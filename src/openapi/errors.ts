import { type ErrorCode, errorCodes } from "../domain/errors.ts";
import { ErrorBody, errorKinds, ProblemBody, titleOf } from "../operations/errors.ts";
import { type Operation, possibleErrors } from "../operations/operation.ts";
import { errorHeaders, type HeaderComponents } from "./headers.ts";
import type { Components } from "./schemas.ts";

/**
 * The answers to errors, each described once for all operations where it carries the same headers. The most common kind has
 * the name of its code, any other also that of the first operation that has it.
 */
export class ErrorResponses {
  readonly #names = new Map<string, string>();
  readonly definitions: Readonly<Record<string, object>>;

  constructor(operations: readonly Operation[], components: Components, headers: HeaderComponents) {
    const definitions: [string, object][] = [];
    for (const code of errorCodes) {
      const kinds = kindsOf(code, operations);
      const [common] = [...kinds.values()].sort((one, other) => other.length - one.length);
      for (const [kind, [first]] of kinds) {
        const name = first === common?.[0] ? code : `${code}Of${capitalized(first.id)}`;
        this.#names.set(`${code} ${kind}`, name);
        definitions.push([name, describe(code, headers.refer(errorHeaders(first, code)), components)]);
      }
    }
    this.definitions = Object.fromEntries(definitions);
  }

  refer(operation: Operation, code: ErrorCode): { readonly $ref: string } {
    return { $ref: `#/components/responses/${this.#names.get(`${code} ${kindOf(operation, code)}`)}` };
  }
}

/** The operations that can end so, those together whose answers carry the same headers. */
function kindsOf(code: ErrorCode, operations: readonly Operation[]): Map<string, Alike> {
  const kinds = new Map<string, Alike>();
  for (const operation of operations.filter((one) => possibleErrors(one).includes(code))) {
    const kind = kindOf(operation, code);
    const alike = kinds.get(kind);
    if (alike) alike.push(operation);
    else kinds.set(kind, [operation]);
  }
  return kinds;
}

type Alike = [Operation, ...Operation[]];

function kindOf(operation: Operation, code: ErrorCode): string {
  return JSON.stringify(errorHeaders(operation, code));
}

function capitalized(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

function describe(code: ErrorCode, headers: object, components: Components) {
  const { status, meaning, example: message } = errorKinds[code];
  const problem = { type: `/docs/errors#${code}`, title: titleOf(code), status, detail: message, code };
  return {
    description: meaning,
    headers,
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
