import { toJson } from "../../base/json.ts";
import type { WireResponse } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import { type HeaderBlock, type HeaderFields, linesOf, sharedHeaders } from "./header-block.ts";

/** A response before it is sent: without what every response has in common. */
export interface HttpResponse {
  readonly status: number;
  /** Those that are its own. */
  readonly headers: HeaderFields;
  /** Those that it shares with other replies. */
  readonly shared?: HeaderBlock;
  readonly body: WireResponse["body"];
  /** How many bytes the body has, where that was counted already. */
  readonly bodyBytes?: number;
  /** Of a page: whether it stays the same when items are only added. */
  readonly outlivesAdditions?: boolean;
}

export function jsonResponse(status: number, value: unknown, headers: HeaderFields = {}): HttpResponse {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: toJson(value) };
}

export function bodyBytesOf({ body, bodyBytes }: HttpResponse): number {
  if (bodyBytes !== undefined) return bodyBytes;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : 0;
}

/** The response with so many bytes of body. */
export function toResponse(reply: HttpResponse, bodyBytes: number, exchange: Exchange): WireResponse {
  const { status, headers, shared = plain, body } = reply;
  const own = isEmpty(exchange.headers) ? headers : merged(headers, exchange.headers);
  const lines = overlap(own, shared.fields) ? linesOf(merged(shared.fields, own)) : shared.lines + linesOf(own);
  const head = `${lines}X-Request-Id: ${exchange.id}\r\n`;
  return { status, head, body, bodyBytes, isLast: own["Connection"] !== undefined };
}

/** Of fields that both have, the second has the last word, except about what either adds to. */
function merged(first: HeaderFields, second: HeaderFields): HeaderFields {
  const all: Record<string, string> = { ...first };
  for (const name in second) {
    const [before, value] = [all[name], second[name] ?? ""];
    // A deprecated list has links to its pages and to its successor, and the document varies by more than one header.
    all[name] = before !== undefined && (name === "Link" || name === "Vary") ? `${before}, ${value}` : value;
  }
  return all;
}

function overlap(some: HeaderFields, others: HeaderFields): boolean {
  for (const name in some) if (name in others) return true;
  return false;
}

const plain = sharedHeaders({});

function isEmpty(headers: HeaderFields): boolean {
  for (const _ in headers) return false;
  return true;
}
