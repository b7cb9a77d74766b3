import { toJson } from "../../base/json.ts";
import { preconditionFailed, volatileFields } from "../../domain/expectation.ts";
import type { Page } from "../../domain/page.ts";
import { Created, createdStatus, hasContent, notModified, type Operation } from "../../operations/operation.ts";
import type { ObjectSchema } from "../../operations/schema.ts";
import type { WireRequest } from "../../wire/message.ts";
import { type PageInput, pageLinks } from "../paging.ts";
import { etagOf, etagOfResource, matchesIfMatch, matchesIfNoneMatch } from "./conditional.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { HeaderBlock, sharedHeaders } from "./header-block.ts";
import type { HttpResponse } from "./http-response.ts";
import type { UrlBuilder } from "./url-builder.ts";

/** How the results of an operation are shown to clients. */
export function representationOf(operation: Operation, addresses: UrlBuilder): Representation {
  const { success } = operation;
  const { status } = success;
  const own = deprecationHeaders(operation);
  if (!hasContent(operation)) return () => ({ status, headers: { ...own, "Cache-Control": "no-store" }, body: null });
  const shared = sharedHeaders({ ...own, ...(operation.method === "GET" ? ofReads : ofWrites) });
  if (operation.isPaged) {
    return (input, result) => ofPage(operation, addresses, input, result as Page<unknown>, status, shared);
  }
  const { properties = {} } = success.schema as Partial<ObjectSchema>;
  const isVolatile = Object.keys(properties).some((name) => volatileFields.has(name));
  return (_input, result) => {
    const isNew = result instanceof Created;
    const body = toJson(isNew ? result.result : result);
    const headers: Record<string, string> = {};
    if (!success.isSecret && !success.isReport) {
      headers["ETag"] = isVolatile ? etagOfResource(result as object) : etagOf(body);
    }
    if (success.location) headers["Location"] = addresses.of(success.location.at, success.location.params(result));
    return { status: isNew ? createdStatus : status, shared, body, headers };
  };
}

export type Representation = (input: PageInput, result: unknown) => HttpResponse;

/** The reply to a conditional read, or that it is what the client has already. Throws PreconditionFailed if it is not what it expects. */
export function onCondition(reply: HttpResponse, request: WireRequest): HttpResponse {
  const etag = reply.headers["ETag"] ?? reply.shared?.fields["ETag"] ?? "";
  if (!matchesIfMatch(request.headers.get("if-match"), etag)) throw preconditionFailed();
  if (!matchesIfNoneMatch(request.headers.get("if-none-match"), etag)) return reply;
  const { "Content-Type": _, ...fields } = reply.shared?.fields ?? {};
  return { status: notModified.status, headers: reply.headers, shared: new HeaderBlock(fields), body: null };
}

const json = { "Content-Type": "application/json" };
const ofReads = { ...json, "Cache-Control": "private, no-cache" };
const ofWrites = { ...json, "Cache-Control": "no-store" };

function ofPage(
  operation: Operation,
  addresses: UrlBuilder,
  input: PageInput,
  page: Page<unknown>,
  status: number,
  shared: HeaderBlock,
): HttpResponse {
  const { items, next } = page;
  const body = toJson(items);
  const link = pageLinks(operation, input, page, addresses);
  // The same animals with another page after them are another representation.
  const etag = items.length === 1 && isNamed(operation, input) ? etagOf(body.slice(1, -1)) : etagOf(body, link);
  return {
    status,
    shared,
    body,
    headers: { ETag: etag, Link: link },
    // What is added comes after a page that has another after it, unless the list is in another order.
    outlivesAdditions: next !== undefined && operation.isAppended?.(input.given) === true,
  };
}

/** Whether the page is of one item that the request names, so that it has the item's own tag. */
function isNamed({ query = {}, namedBy }: Operation, { given, after }: PageInput): boolean {
  if (namedBy === undefined || after !== undefined) return false;
  if (given[namedBy] === undefined || Array.isArray(given[namedBy])) return false;
  for (const name in query) {
    if (name !== namedBy && name !== "limit" && given[name] !== undefined) return false;
  }
  return true;
}
