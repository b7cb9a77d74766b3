import { toJson } from "../../base/json.ts";
import { preconditionFailed, volatileFields } from "../../domain/expectation.ts";
import type { Page } from "../../domain/page.ts";
import { Created, createdStatus, hasContent, notModified, type Operation } from "../../operations/operation.ts";
import type { ObjectSchema } from "../../operations/schema.ts";
import type { WireRequest } from "../../wire/message.ts";
import { formatPageLinks, type PageInput } from "../paging.ts";
import { computeEtag, computeResourceEtag, matchesIfMatch, matchesIfNoneMatch } from "./conditional.ts";
import { createDeprecationHeaders } from "./deprecation.ts";
import { createSharedHeaders, HeaderBlock, type HttpResponse } from "./http-response.ts";
import type { UrlBuilder } from "./url-builder.ts";

export function createRepresentation(
  operation: Operation,
  urls: UrlBuilder,
): (input: PageInput, result: unknown) => HttpResponse {
  const { success, isPaged } = operation;
  const { status } = success;
  const deprecation = createDeprecationHeaders(operation);
  if (!hasContent(operation))
    return () => ({ status, headers: { ...deprecation, "Cache-Control": "no-store" }, body: null });
  const cacheControl = operation.method === "GET" ? "private, no-cache" : "no-store";
  const shared = createSharedHeaders({
    ...deprecation,
    "Content-Type": "application/json",
    "Cache-Control": cacheControl,
  });
  if (isPaged) return (input, result) => representPage(operation, urls, input, result as Page<unknown>, shared);
  const { properties = {} } = success.schema as Partial<ObjectSchema>;
  const isVolatile = Object.keys(properties).some((name) => volatileFields.has(name));
  return (_input, result) => {
    const isNew = result instanceof Created;
    const body = toJson(isNew ? result.result : result);
    const headers: Record<string, string> = {};
    if (!success.isSecret && !success.isReport) {
      headers["ETag"] = isVolatile ? computeResourceEtag(result as object) : computeEtag(body);
    }
    if (success.location) headers["Location"] = urls.of(success.location.at, success.location.params(result));
    return { status: isNew ? createdStatus : status, shared, body, headers };
  };
}

/** Applies `If-Match` and `If-None-Match` to a read: returns the response, or 304. Throws PreconditionFailed. */
export function applyConditions(response: HttpResponse, request: WireRequest): HttpResponse {
  const etag = response.headers["ETag"] ?? response.shared?.fields["ETag"] ?? "";
  if (!matchesIfMatch(request.headers.get("if-match"), etag)) throw preconditionFailed();
  if (!matchesIfNoneMatch(request.headers.get("if-none-match"), etag)) return response;
  const { "Content-Type": _, ...fields } = response.shared?.fields ?? {};
  return { status: notModified.status, headers: response.headers, shared: new HeaderBlock(fields), body: null };
}

function representPage(
  operation: Operation,
  urls: UrlBuilder,
  input: PageInput,
  page: Page<unknown>,
  shared: HeaderBlock,
): HttpResponse {
  const { items, next } = page;
  const body = toJson(items);
  const link = formatPageLinks(operation, input, page, urls);
  // The ETag covers the links, because a last page that gets a next link is another representation.
  const etag =
    items.length === 1 && namesSingleItem(operation, input) ? computeEtag(body.slice(1, -1)) : computeEtag(body, link);
  return {
    status: operation.success.status,
    shared,
    body,
    headers: { ETag: etag, Link: link },
    // If the newest items come last, new items change only the last page.
    outlivesAdditions: next !== undefined && operation.isNewestLast?.(input.given) === true,
  };
}

/** True if the request names a single item, so the page carries the ETag of that item. */
function namesSingleItem({ query = {} }: Operation, { given, after }: PageInput): boolean {
  if (given["id"] === undefined || Array.isArray(given["id"]) || after !== undefined) return false;
  for (const name in query) {
    if (name !== "id" && name !== "limit" && given[name] !== undefined) return false;
  }
  return true;
}
