import { type Operation, pathParameter } from "./operation.ts";
import { expects, type Fields, isClosed, type JsonSchema, type ObjectSchema } from "./schema.ts";

/** Checks a definition against its own schemas, then lets it stand in the list beside the others. Throws what is wrong with it. */
export function operation<
  const Params extends Fields,
  const Query extends Fields,
  Body extends ObjectSchema,
  Result extends JsonSchema,
  const Paged extends boolean = false,
  Current extends object = never,
>(definition: Operation<Params, Query, Body, Result, Paged, Current>): Operation {
  const operation = definition as unknown as Operation;
  const faults = faultsOf(operation);
  if (faults.length > 0) throw new Error(`${operation.id} cannot work: ${faults.join("; ")}.`);
  return operation;
}

/** What is wrong with the definition of an operation: each of these would otherwise show only when somebody calls it. */
function faultsOf(operation: Operation): string[] {
  return [...listFaults(operation), ...writeFaults(operation), ...inputFaults(operation)];
}

function* listFaults({
  method,
  paged,
  isFeed,
  isExport,
  isCached,
  isAppended,
  namedBy,
  query = {},
  success,
}: Operation): Iterable<string> {
  if (paged && method !== "GET") yield "only a GET can be a list";
  if (paged && success.schema.type !== "array") yield "a list must have a schema of an array";
  if (paged && !("limit" in query)) yield "a list must take a limit";
  if (isFeed && (method !== "GET" || paged || !("cursor" in query))) yield "a feed is a GET with a cursor of its own";
  if (isExport && (method !== "GET" || paged)) yield "an export is a GET of everything";
  if (isCached && !paged) yield "only the pages of a list can be kept";
  if ((isCached === true) !== (isAppended !== undefined))
    yield "a list says what is added at its end if its pages are kept, and only then";
  if (namedBy !== undefined && !(paged && namedBy in query)) yield "namedBy must be a parameter of a list";
}

function* writeFaults({ method, current, replaces, success, body }: Operation): Iterable<string> {
  if (method === "GET" && (current || body)) yield "a GET has neither a body nor anything that it changes";
  if (replaces && (method !== "PUT" || !current)) yield "only a PUT, and one that reads what is there, replaces";
  if ((replaces === true) !== (success.created !== undefined))
    yield "what is said with 201 belongs to an operation that replaces";
}

function* inputFaults({ path, params = {}, query = {}, body, isStrict = false }: Operation): Iterable<string> {
  const named = [...path.matchAll(pathParameter)].map(([, name]) => name).sort();
  if (named.join() !== Object.keys(params).sort().join()) yield "its path and its params must name the same parameters";
  if (body && isClosed(body.schema) !== isStrict) yield "its body must be closed if it is strict, and only then";
  for (const fields of [params, query, body?.schema.properties ?? {}]) yield* wordFaults(fields);
}

/** Callers who send a wrong value must learn what to send. */
function* wordFaults(fields: Fields): Iterable<string> {
  for (const [name, schema] of Object.entries(fields)) {
    if (!schema[expects]) yield `${name} does not say what it expects`;
  }
}
