import type { Clock } from "../../base/clock.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import { basePath, isInService, type Operation } from "../../operations/operation.ts";

/** Makes the URLs in responses, relative to the host. */
export class UrlBuilder {
  readonly #templates = new Map<string, readonly string[]>();

  /** `base` is the path under which clients find the interface, which a proxy may have put something before. */
  constructor(
    readonly base: string,
    readonly clock: Clock,
  ) {}

  /** Where an operation is found or, once it is gone, what replaces it. */
  of(operation: Operation, params: PathParams): string {
    const { path, deprecated } = operation;
    if (deprecated && !isInService(operation, this.clock)) return this.successorOf(operation, params);
    return this.at(path, params);
  }

  /** Where an error is explained. */
  ofError(code: ErrorCode): string {
    return `${this.base.slice(0, -basePath.length)}${errorsPage}#${code}`;
  }

  /** What replaces a deprecated operation. */
  successorOf({ deprecated }: Operation, params: PathParams): string {
    return this.at(deprecated?.successor ?? "", params);
  }

  /** Fills in a template, which is parsed once: texts at the even places, names of parameters at the odd ones. */
  at(template: string, params: PathParams): string {
    let parts = this.#templates.get(template);
    if (!parts) {
      parts = template.split(/:(\w+)|\{(\w+)\}/).filter((part) => part !== undefined);
      this.#templates.set(template, parts);
    }
    let address = this.base;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? "";
      address += index % 2 === 0 ? part : encode(params[part]);
    }
    return address;
  }
}

/** The page that explains the errors, beside the interface. */
const errorsPage = "/docs/errors";

export type PathParams = Readonly<Record<string, unknown>>;

function encode(value: unknown): string {
  return encodeURIComponent(String(value ?? ""));
}
