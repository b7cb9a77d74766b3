import { type Definition, type Operation, pathParameter, tags } from "./operation.ts";
import { expects, type Fields, isClosed, type JsonSchema, type ObjectSchema } from "./schema.ts";

/** Completes a definition with defaults and derived values. Throws if the definition violates a rule. */
export function operation<
  const Params extends Fields,
  const Query extends Fields,
  Body extends ObjectSchema,
  Result extends JsonSchema,
  const Paged extends boolean = false,
  Current extends object = never,
>(definition: Definition<Params, Query, Body, Result, Paged, Current>): Operation {
  const [method, path] = definition.endpoint.split(" ") as [Operation["method"], string];
  const tag = findTag(path);
  const isStrict = strictTags.has(tag);
  const operation: Operation = {
    stability: "beta",
    scope: isStrict ? "admin" : method === "GET" ? "read" : "write",
    errors: [],
    ...(definition as unknown as Definition),
    method,
    path,
    tag,
    isStrict,
    success: { status: 200, ...definition.success },
  };
  const violations = [...findViolations(operation)];
  if (violations.length === 0) return operation;
  throw new Error(`The definition of ${operation.id} is inconsistent: ${violations.join("; ")}.`);
}

function findTag(path: string): Operation["tag"] {
  const [, segment = ""] = path.split("/");
  return Object.keys(tags).find((tag): tag is Operation["tag"] => tag === segment) ?? "animals";
}

/** The tags of operations in which an unnoticed typo would do harm: an `expiresat` would create a key without an expiry. */
const strictTags: ReadonlySet<Operation["tag"]> = new Set(["keys", "webhooks"]);

function* findViolations(operation: Operation): Iterable<string> {
  for (const [rule, isViolatedBy] of Object.entries(rules)) if (isViolatedBy(operation)) yield rule;
  const { params = {}, query = {}, body } = operation;
  const fields = [params, query, body?.schema.properties ?? {}].flatMap((part) => Object.entries(part));
  for (const [name, schema] of fields) if (!schema[expects]) yield `${name} has no text for what it expects`;
}

/** The rules of definitions, each with a function that returns true for a violation. */
const rules: Readonly<Record<string, (operation: Operation) => boolean | undefined>> = {
  "only a GET can be a list": ({ isPaged, method }) => isPaged && method !== "GET",
  "a list must have a schema of an array": ({ isPaged, success }) => isPaged && success.schema.type !== "array",
  "a list must take a limit": ({ isPaged, query }) => isPaged && !("limit" in (query ?? {})),
  "only the pages of a list can be cached": ({ isNewestLast, isPaged }) => isNewestLast && !isPaged,
  "a GET has neither a body nor a current state": ({ method, current, body }) =>
    method === "GET" && (current ?? body) !== undefined,
  "only a PUT that reads the current state can create": ({ method, current, success }) =>
    success.created !== undefined && (method !== "PUT" || !current),
  "the path and params must name the same parameters": ({ path, params = {} }) =>
    Array.from(path.matchAll(pathParameter), ([, name]) => name)
      .sort()
      .join() !== Object.keys(params).sort().join(),
  "the body must be closed if and only if the operation is strict": ({ body, isStrict }) =>
    body !== undefined && isClosed(body.schema) !== isStrict,
};
