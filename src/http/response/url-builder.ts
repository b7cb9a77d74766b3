import type { Clock } from "../../base/clock.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import { basePath, isInService, type Operation } from "../../operations/operation.ts";
import type { Values } from "../../validation/validator.ts";

export class UrlBuilder {
  readonly #templates = new Map<string, readonly string[]>();

  /** `base` is the path under which clients find the API, including the prefix that a proxy may add. */
  constructor(
    readonly base: string,
    readonly clock: Clock,
  ) {}

  /** Returns the URL of an operation or, after its sunset, of its successor. */
  of(operation: Operation, params: Values): string {
    const { path, deprecated } = operation;
    const isGone = deprecated && !isInService(operation, this.clock);
    return this.fill(isGone ? deprecated.successor : path, params);
  }

  ofError(code: ErrorCode): string {
    return `${this.base.slice(0, -basePath.length)}/docs/errors#${code}`;
  }

  /** Fills in the parameters of a path. Each path is parsed once, into texts at even indexes and parameter names at odd ones. */
  fill(template: string, params: Values): string {
    let parts = this.#templates.get(template);
    if (!parts) {
      parts = template.split(/:(\w+)|\{(\w+)\}/).filter((part) => part !== undefined);
      this.#templates.set(template, parts);
    }
    let url = this.base;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? "";
      url += index % 2 === 0 ? part : encodeURIComponent(String(params[part] ?? ""));
    }
    return url;
  }
}
