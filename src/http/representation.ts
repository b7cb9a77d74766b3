import { toJson } from "../domain/json.ts";
import type { Page } from "../domain/page.ts";
import { basePath, Created, createdStatus, hasContent, notModified, type Operation } from "../operations/operation.ts";
import { etagOf, isUnchanged } from "./conditional.ts";
import { type PageQuery, pageLinks } from "./paging.ts";
import type { Reply } from "./reply.ts";

/** The result of an operation as a client sees it, or that it is what the client has already. */
export function represent(operation: Operation, query: PageQuery, result: unknown, request: Request): Reply {
  const { status } = operation.success;
  if (!hasContent(operation)) return { status, headers: { "Cache-Control": "no-store" }, body: null };
  if (result instanceof Created)
    return { ...represent(operation, query, result.result, request), status: createdStatus };
  const isGet = operation.method === "GET";
  const { body, headers } = operation.paged
    ? ofPage(operation, query, result as Page<unknown>)
    : ofOne(operation, result);
  const all = { "Cache-Control": isGet ? "private, no-cache" : "no-store", ...headers };
  if (isGet && isUnchanged(request.headers.get("if-none-match"), headers.ETag ?? "")) {
    return { status: notModified.status, headers: all, body: null };
  }
  return { status, headers: { "Content-Type": "application/json", ...all }, body };
}

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
