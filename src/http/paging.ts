import type { Int64 } from "../domain/int64.ts";
import { basePath, type Operation } from "../operations/operation.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

/** The query of a request for a page, without its cursor. */
export type PageQuery = Readonly<Record<string, unknown>>;

/** Where the page starts that the cursor asks for; undefined if the cursor does not belong to this list. */
export function positionOf(cursor: string, operation: Operation, query: PageQuery): Int64 | undefined {
  return decodeCursor(cursor, listName(operation, query));
}

/** The addresses of the next page, if there is one, and of the first, with the limit and the filters kept. */
export function pageLinks(operation: Operation, query: PageQuery, next: Int64 | undefined): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const address = (parameters: typeof given) => {
    const text = parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
    return `<${basePath}${operation.path}${text && `?${text}`}>`;
  };
  const first = `${address(given)}; rel="first"`;
  if (next === undefined) return first;
  const cursor = encodeCursor(next, listName(operation, query));
  return `${address([...given, ["cursor", cursor]])}; rel="next", ${first}`;
}

/** Names the list that a cursor belongs to: the operation and its filters, but not the size of the page. */
function listName(operation: Operation, query: PageQuery): string {
  const filters = Object.keys(operation.query ?? {})
    .filter((name) => name !== "limit" && query[name] !== undefined)
    .map((name) => `${name}=${query[name]}`);
  return [operation.id, ...filters].join("\n");
}
