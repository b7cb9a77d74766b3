import type { Int64 } from "../base/int64.ts";
import type { Page } from "../domain/page.ts";
import { decodeCursor, encodeCursor, type PageStart } from "../domain/page-cursor.ts";
import type { Operation } from "../operations/operation.ts";
import { whenAbsent } from "../operations/schema.ts";
import type { Values } from "../validation/validator.ts";
import type { UrlBuilder } from "./response/url-builder.ts";

export interface PageInput {
  readonly params: Values;
  /** The query as the client sent it, without defaults and without the cursor. */
  readonly given: Values;
  readonly after?: Int64 | undefined;
  readonly afterName?: string | undefined;
}

export function parsePageCursor(
  cursor: string,
  operation: Operation,
  params: Values,
  query: Values,
): PageStart | undefined {
  return decodeCursor(cursor, listName(operation, params, query));
}

export function formatPageLinks(
  operation: Operation,
  { params, given }: PageInput,
  { next, nextName }: Page<unknown>,
  urls: UrlBuilder,
): string {
  const path = urls.fill(operation.path, params);
  let queryWithoutCursor = "";
  for (const name in operation.query) {
    const value = given[name];
    if (value !== undefined) queryWithoutCursor += `${queryWithoutCursor && "&"}${name}=${encodeValue(value)}`;
  }
  const first = `<${path}${queryWithoutCursor && `?${queryWithoutCursor}`}>; rel="first"`;
  if (next === undefined) return first;
  const cursor = encodeCursor({ after: next, afterName: nextName }, listName(operation, params, given));
  return `<${path}?${queryWithoutCursor && `${queryWithoutCursor}&`}cursor=${cursor}>; rel="next", ${first}`;
}

/** Encodes a value of the query; commas between several values stay unencoded, as RFC 3986 allows. */
function encodeValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).map(encodeURIComponent).join(",") : encodeURIComponent(String(value));
}

/** Returns a name for the list that a cursor belongs to: its operation, path, filters and order, but not the size of the page. */
function listName(operation: Operation, params: Values, query: Values): string {
  let list = operation.id;
  for (const name in operation.params) list += `\n:${name}=${params[name]}`;
  for (const name in operation.query) {
    const value = query[name];
    if (name === "limit" || value === undefined || value === operation.query[name]?.[whenAbsent]) continue;
    list += `\n${name}=${value}`;
  }
  return list;
}
