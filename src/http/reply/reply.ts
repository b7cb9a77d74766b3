import { toJson } from "../../base/json.ts";
import type { Exchange } from "../exchange.ts";

/** A response before it is sent: without what every response has in common. */
export interface Reply {
  readonly status: number;
  /** Those that are its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those that it shares with other replies, as `sharedHeaders` gives them. */
  readonly shared?: Headers;
  /** What may be large and waited for by many is a Blob, which the runtime does not copy for each of them. */
  readonly body: string | Blob | ReadableStream<Uint8Array> | null;
  /** How many bytes the body has, where that was counted already. */
  readonly bodyBytes?: number;
  /** Of a page: whether it stays the same when items are only added. */
  readonly outlivesAdditions?: boolean;
}

/** The header of a response after which nothing more comes through its connection. */
export const lastOfConnection: Reply["headers"] = { Connection: "close" };

export function jsonReply(status: number, value: unknown, headers: Reply["headers"] = {}): Reply {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: toJson(value) };
}

export function bodyBytesOf({ body, bodyBytes }: Reply): number {
  if (bodyBytes !== undefined) return bodyBytes;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Blob ? body.size : 0;
}

/** Headers in the form that is cheapest to reuse: copying them is cheap, setting each is not. */
export function sharedHeaders(headers: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...headers, ...everywhere });
}

export function toResponse({ status, headers, shared = plain, body }: Reply, exchange: Exchange): Response {
  if (isEmpty(exchange.headers) && isEmpty(headers)) {
    // The response takes a copy, so that what has nothing of its own but its id needs no other.
    shared.set("X-Request-Id", exchange.id);
    return new Response(body, { status, headers: shared });
  }
  const all = new Headers(shared);
  for (const name in headers) all.set(name, headers[name] ?? "");
  for (const name in exchange.headers) {
    // A deprecated list has links to its pages and to its successor, and the document varies by more than one header.
    if (name === "Link" || name === "Vary") all.append(name, exchange.headers[name] ?? "");
    else all.set(name, exchange.headers[name] ?? "");
  }
  all.set("X-Request-Id", exchange.id);
  return new Response(body, { status, headers: all });
}

/** No browser is to take an answer of the API for anything but data. */
const everywhere = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

const plain = sharedHeaders({});

function isEmpty(headers: Readonly<Record<string, string>>): boolean {
  for (const _ in headers) return false;
  return true;
}
