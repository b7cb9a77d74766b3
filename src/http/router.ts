import type { Operation } from "../operations/operation.ts";
import { HttpError } from "./errors.ts";

export interface Match {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds an operation by method and path. Throws NotFound and, with the methods that there are, MethodNotAllowed. */
export class Router {
  readonly #routes = new Map<string, Route>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const route = this.#routes.get(operation.path) ?? { segments: operation.path.split("/"), methods: new Map() };
      route.methods.set(operation.method, operation);
      this.#routes.set(operation.path, route);
    }
  }

  match(method: string, path: string): Match {
    const found = this.#find(path);
    if (!found) throw new HttpError("NotFound", "There is nothing at this address.");
    const { methods } = found.route;
    const operation = methods.get(method === "HEAD" ? "GET" : method);
    if (!operation) throw methodNotAllowed(method, [...methods.keys()]);
    return { operation, params: found.params };
  }

  #find(path: string): { route: Route; params: Match["params"] } | undefined {
    const exact = this.#routes.get(path);
    if (exact) return { route: exact, params: {} };
    const segments = path.split("/");
    for (const route of this.#routes.values()) {
      const params = matchSegments(route.segments, segments);
      if (params) return { route, params };
    }
    return undefined;
  }
}

export function methodNotAllowed(method: string, methods: readonly string[]): HttpError {
  const allowed = methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new HttpError(
    "MethodNotAllowed",
    `${method} is not possible here. Use ${allowed.includes(",") ? "one of " : ""}${allowed}.`,
    {
      Allow: allowed,
    },
  );
}

interface Route {
  readonly segments: readonly string[];
  readonly methods: Map<string, Operation>;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Match["params"] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (let index = 1; index < pattern.length; index++) {
    const expected = pattern[index] ?? "";
    const segment = segments[index] ?? "";
    if (expected === segment) continue;
    if (!expected.startsWith(":") || segment === "") return undefined;
    params[expected.slice(1)] = segment.includes("%") ? decode(segment) : segment;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
