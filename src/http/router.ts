import { isInService, type Operation } from "../operations/operation.ts";
import type { WireRequest } from "../wire/message.ts";
import { HttpError } from "./http-error.ts";
import { composeRoute } from "./route.ts";
import type { Route, RouteParts } from "./route-parts.ts";

/** Returns a function that finds the route for a method among the operations at one path, or throws MethodNotAllowed. */
export function createRouteTable(operations: readonly Operation[], parts: RouteParts): (method: string) => Route {
  const routes = new Map(operations.map((operation) => [operation.method as string, composeRoute(operation, parts)]));
  const read = routes.get("GET");
  if (read) routes.set("HEAD", read);
  return (method) => {
    const route = routes.get(method);
    if (route) return route;
    const inService = operations.filter((operation) => isInService(operation, parts.clock));
    const methods = inService.map((operation) => operation.method);
    throw createMethodNotAllowedError(method, methods);
  };
}

export function requireReadMethod(request: WireRequest): void {
  if (!isRead(request)) throw createMethodNotAllowedError(request.method, ["GET"]);
}

export function isRead({ method }: WireRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function createMethodNotAllowedError(method: string, methods: readonly string[]): HttpError {
  const allowed = methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  const message = `${method} is not allowed here. Use ${allowed.includes(",") ? "one of " : ""}${allowed}.`;
  return new HttpError("MethodNotAllowed", message, { Allow: allowed });
}
