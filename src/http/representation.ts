import { changedMeanwhile } from "../domain/expectation.ts";
import { toJson } from "../domain/json.ts";
import type { Page } from "../domain/page.ts";
import { Created, createdStatus, hasContent, notModified, type Operation } from "../operations/operation.ts";
import type { Addresses } from "./addresses.ts";
import { etagOf, isConditional, isExpected, isUnchanged } from "./conditional.ts";
import { type PageInput, pageLinks } from "./paging.ts";
import { type Reply, sharedHeaders } from "./reply.ts";

/** The result of an operation as a client sees it. */
export function represent(operation: Operation, input: PageInput, result: unknown, addresses: Addresses): Reply {
  const { status } = operation.success;
  if (!hasContent(operation)) return { status, headers: { "Cache-Control": "no-store" }, body: null };
  if (result instanceof Created) {
    return { ...represent(operation, input, result.result, addresses), status: createdStatus };
  }
  const shared = operation.method === "GET" ? ofReads : ofWrites;
  return operation.paged
    ? { status, shared, ...ofPage(operation, input, result as Page<unknown>, addresses) }
    : { status, shared, ...ofOne(operation, result, addresses) };
}

/** The reply to a read, or that it is what the client has already. Throws PreconditionFailed if it is not what it expects. */
export function onCondition(reply: Reply, request: Request): Reply {
  if (!isConditional(request)) return reply;
  const etag = reply.headers["ETag"] ?? reply.shared?.get("ETag") ?? "";
  if (!isExpected(request.headers.get("if-match"), etag)) throw changedMeanwhile();
  if (!isUnchanged(request.headers.get("if-none-match"), etag)) return reply;
  const shared = new Headers(reply.shared);
  shared.delete("Content-Type");
  return { status: notModified.status, headers: reply.headers, shared, body: null };
}

const json = { "Content-Type": "application/json" };
const ofReads = sharedHeaders({ ...json, "Cache-Control": "private, no-cache" });
const ofWrites = sharedHeaders({ ...json, "Cache-Control": "no-store" });

function ofPage(operation: Operation, input: PageInput, { items, next }: Page<unknown>, addresses: Addresses) {
  const body = toJson(items);
  const link = pageLinks(operation, input.query, next, addresses);
  // The same animals with another page after them are another representation.
  const etag = items.length === 1 && isNamed(operation, input) ? etagOf(body.slice(1, -1)) : etagOf(body, link);
  return { body, headers: { ETag: etag, Link: link } };
}

/** Whether the page is of one item that the request names, so that it has the item's own tag. */
function isNamed({ query = {}, namedBy }: Operation, input: PageInput): boolean {
  if (namedBy === undefined || input.query[namedBy] === undefined || input.after !== undefined) return false;
  for (const name in query) {
    if (name !== namedBy && name !== "limit" && input.query[name] !== undefined) return false;
  }
  return true;
}

function ofOne({ success }: Operation, result: unknown, addresses: Addresses) {
  const body = toJson(result);
  const { location } = success;
  return {
    body,
    headers: {
      ...(!success.isSecret && { ETag: etagOf(body) }),
      ...(location && { Location: addresses.of(location.at, location.params(result)) }),
    },
  };
}
