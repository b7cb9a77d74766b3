import type { Clock } from "../base/clock.ts";
import type { Operation } from "../operations/operation.ts";
import { isInService } from "./reply/deprecation.ts";
import { HttpError } from "./reply/errors.ts";

/** The operations by their path, in the notation of the runtime's router, which matches a path as it was sent. */
export function operationsByPath(operations: readonly Operation[]): Map<string, Operation[]> {
  return Map.groupBy(operations, ({ path }) => path);
}

/**
 * Finds the route of the operation that a method asks for, of those at one path. It throws MethodNotAllowed, with the methods
 * of those that are in service.
 */
export function routeTable<Route>(
  operations: readonly Operation[],
  routeOf: (operation: Operation) => Route,
  clock: Clock,
): (method: string) => Route {
  const routes = new Map(operations.map((operation) => [operation.method as string, routeOf(operation)]));
  const read = routes.get("GET");
  if (read) routes.set("HEAD", read);
  return (method) => {
    const route = routes.get(method);
    if (route) return route;
    const inService = operations.filter((operation) => isInService(operation, clock));
    throw methodNotAllowed(
      method,
      inService.map((operation) => operation.method),
    );
  };
}

/** Of what can only be read. Throws MethodNotAllowed. */
export function requireRead(request: Request): void {
  if (!isRead(request)) throw methodNotAllowed(request.method, ["GET"]);
}

export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function methodNotAllowed(method: string, methods: readonly string[]): HttpError {
  const allowed = methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new HttpError(
    "MethodNotAllowed",
    `${method} is not allowed here. Use ${allowed.includes(",") ? "one of " : ""}${allowed}.`,
    {
      Allow: allowed,
    },
  );
}
