import { ErrorBody, type ErrorCode, errorCodes, errorKinds, ProblemBody, titleOf } from "../operations/errors.ts";
import { isRevalidated, notModified, type Operation, possibleErrors } from "../operations/operation.ts";
import { errorHeaders, type HeaderComponents, type SentHeaders, successHeaders } from "./headers.ts";
import type { Components } from "./schemas.ts";

/**
 * The answers that are alike for many operations, each described once for those where it carries the same headers. The most
 * common kind has the name of the answer, any other also that of the first operation that has it.
 */
export class SharedResponses {
  readonly #names = new Map<string, string>();
  readonly #definitions: [string, object][] = [];

  constructor(
    operations: readonly Operation[],
    components: Components,
    readonly headers: HeaderComponents,
  ) {
    const reads = operations.filter(isRevalidated);
    this.#describe("NotModified", reads, successHeaders, { description: notModified.meaning });
    for (const code of errorCodes) {
      const failing = operations.filter((operation) => possibleErrors(operation).includes(code));
      this.#describe(code, failing, (operation) => errorHeaders(operation, code), bodiesOf(code, components));
    }
  }

  refer(answer: "NotModified" | ErrorCode, operation: Operation): { readonly $ref: string } {
    return { $ref: `#/components/responses/${this.#names.get(`${answer} of ${operation.id}`)}` };
  }

  get definitions(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#definitions);
  }

  #describe(
    answer: "NotModified" | ErrorCode,
    operations: readonly Operation[],
    headersOf: (operation: Operation) => SentHeaders,
    rest: { readonly description: string },
  ): void {
    const kinds = Map.groupBy(operations, (operation) => JSON.stringify(headersOf(operation)));
    const byCount = [...kinds.values()].sort((one, other) => other.length - one.length);
    for (const alike of kinds.values()) {
      const [first] = alike;
      if (!first) continue;
      const name = alike === byCount[0] ? answer : `${answer}Of${capitalized(first.id)}`;
      for (const { id } of alike) this.#names.set(`${answer} of ${id}`, name);
      const { description, ...content } = rest;
      this.#definitions.push([name, { description, headers: this.headers.refer(headersOf(first)), ...content }]);
    }
  }
}

function bodiesOf(code: ErrorCode, components: Components) {
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

function capitalized(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}
