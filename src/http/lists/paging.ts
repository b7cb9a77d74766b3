import type { Int64 } from "../../base/int64.ts";
import type { Page } from "../../domain/page.ts";
import { decodeCursor, encodeCursor, type PageStart } from "../../domain/page-cursor.ts";
import type { Operation } from "../../operations/operation.ts";
import { whenAbsent } from "../../operations/schema.ts";
import type { Addresses } from "../reply/addresses.ts";

/** The query of a request for a page, without its cursor. */
export type PageQuery = Readonly<Record<string, unknown>>;

export interface PageInput {
  /** The query as it was sent, without what is filled in. */
  readonly given: PageQuery;
  readonly after?: Int64 | undefined;
  readonly afterName?: string | undefined;
}

/** Where the page starts that the cursor asks for; undefined if the cursor does not belong to this list. */
export function pageStartOf(cursor: string, operation: Operation, query: PageQuery): PageStart | undefined {
  return decodeCursor(cursor, listName(operation, query));
}

/** The addresses of the next page, if there is one, and of the first, with the limit and the filters kept. */
export function pageLinks(
  operation: Operation,
  query: PageQuery,
  { next, nextName }: Page<unknown>,
  addresses: Addresses,
): string {
  const path = addresses.base + operation.path;
  let kept = "";
  for (const name in operation.query) {
    const value = query[name];
    if (value !== undefined) kept += `${kept && "&"}${name}=${encodeValue(value)}`;
  }
  const first = `<${path}${kept && `?${kept}`}>; rel="first"`;
  if (next === undefined) return first;
  const cursor = encodeCursor({ after: next, afterName: nextName }, listName(operation, query));
  return `<${path}?${kept && `${kept}&`}cursor=${cursor}>; rel="next", ${first}`;
}

/** Commas between several values stay as they are, which the standard allows. */
function encodeValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).map(encodeURIComponent).join(",") : encodeURIComponent(String(value));
}

/** Names the list that a cursor belongs to: the operation, its filters and its order, but not the size of the page. */
function listName(operation: Operation, query: PageQuery): string {
  let list = operation.id;
  for (const name in operation.query) {
    const value = query[name];
    if (name === "limit" || value === undefined || value === operation.query[name]?.[whenAbsent]) continue;
    list += `\n${name}=${value}`;
  }
  return list;
}
