import { toJson } from "../domain/json.ts";
import type { Page } from "../domain/page.ts";
import { basePath, Created, createdStatus, hasContent, notModified, type Operation } from "../operations/operation.ts";
import { etagOf, isUnchanged } from "./conditional.ts";
import { type PageQuery, pageLinks } from "./paging.ts";
import { type Reply, sharedHeaders } from "./reply.ts";

/** The result of an operation as a client sees it. */
export function represent(operation: Operation, query: PageQuery, result: unknown): Reply {
  const { status } = operation.success;
  if (!hasContent(operation)) return { status, headers: { "Cache-Control": "no-store" }, body: null };
  if (result instanceof Created) return { ...represent(operation, query, result.result), status: createdStatus };
  const shared = operation.method === "GET" ? ofReads : ofWrites;
  return operation.paged
    ? { status, shared, ...ofPage(operation, query, result as Page<unknown>) }
    : { status, shared, ...ofOne(operation, result) };
}

/** The reply, or that it is what the client has already. */
export function unlessUnchanged(reply: Reply, request: Request): Reply {
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch === null) return reply;
  const etag = reply.headers["ETag"] ?? reply.shared?.get("ETag") ?? "";
  if (!isUnchanged(ifNoneMatch, etag)) return reply;
  const shared = new Headers(reply.shared);
  shared.delete("Content-Type");
  return { status: notModified.status, headers: reply.headers, shared, body: null };
}

const json = { "Content-Type": "application/json" };
const ofReads = sharedHeaders({ ...json, "Cache-Control": "private, no-cache" });
const ofWrites = sharedHeaders({ ...json, "Cache-Control": "no-store" });

function ofPage(operation: Operation, query: PageQuery, { items, next }: Page<unknown>) {
  const body = toJson(items);
  const link = pageLinks(operation, query, next);
  // The same animals with another page behind them are another representation.
  return { body, headers: { ETag: etagOf(body, link), Link: link } };
}

function ofOne({ success }: Operation, result: unknown) {
  const body = toJson(result);
  const location = success.location?.(result);
  return {
    body,
    headers: {
      ...(!success.isSecret && { ETag: etagOf(body) }),
      ...(location && { Location: basePath + location }),
    },
  };
}
