import type { Operation } from "../operations/operation.ts";
import { HttpError } from "./errors.ts";

/** The operations at one path, by their method. */
export type Methods = ReadonlyMap<string, Operation>;

/** The paths that operations have, in the notation of the runtime's router, which matches a path as it was sent. */
export function operationsByPath(operations: readonly Operation[]): Map<string, Methods> {
  const paths = new Map<string, Map<string, Operation>>();
  for (const operation of operations) {
    const methods = paths.get(operation.path) ?? new Map<string, Operation>();
    methods.set(operation.method, operation);
    paths.set(operation.path, methods);
  }
  return paths;
}

/** The operation that a method asks for. Throws MethodNotAllowed, with the methods of those that are in service. */
export function operationFor(
  method: string,
  methods: Methods,
  isInService: (operation: Operation) => boolean,
): Operation {
  const operation = methods.get(method === "HEAD" ? "GET" : method);
  if (operation) return operation;
  throw methodNotAllowed(
    method,
    [...methods.values()].filter(isInService).map((candidate) => candidate.method),
  );
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
