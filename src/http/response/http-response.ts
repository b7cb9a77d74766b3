import { toJson } from "../../base/json.ts";
import type { WireResponse } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";

export type HeaderFields = Readonly<Record<string, string>>;

/** A response of an endpoint, without the headers of its exchange. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** Headers that many responses share. Default: those of every response of the API. */
  readonly shared?: HeaderBlock;
  readonly body: WireResponse["body"];
  readonly bodyBytes?: number;
  /** True for a page of a list that stays the same when items are added. */
  readonly outlivesAdditions?: boolean;
}

export class HeaderBlock {
  readonly lines: string;

  constructor(readonly fields: HeaderFields) {
    this.lines = serialise(fields);
  }
}

export function createSharedHeaders(fields: HeaderFields): HeaderBlock {
  return new HeaderBlock({ ...fields, ...securityHeaders });
}

/** Headers that keep browsers from treating a response of the API as anything but data. */
const securityHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export function createJsonResponse(status: number, value: unknown, headers: HeaderFields = {}): HttpResponse {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: toJson(value) };
}

export function countBodyBytes({ body, bodyBytes }: HttpResponse): number {
  if (bodyBytes !== undefined) return bodyBytes;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : 0;
}

export function toWireResponse(response: HttpResponse, bodyBytes: number, exchange: Exchange): WireResponse {
  const { status, headers, shared = defaultHeaders, body } = response;
  const ownHeaders = isEmpty(exchange.headers) ? headers : merge(headers, exchange.headers);
  const lines = overlaps(ownHeaders, shared.fields)
    ? serialise(merge(shared.fields, ownHeaders))
    : shared.lines + serialise(ownHeaders);
  const head = `${lines}X-Request-Id: ${exchange.id}\r\n`;
  return { status, head, body, bodyBytes, shouldClose: ownHeaders["Connection"] !== undefined };
}

/** On conflict the second object wins; the values of Link and Vary are joined instead. */
function merge(first: HeaderFields, second: HeaderFields): HeaderFields {
  const merged: Record<string, string> = { ...first };
  for (const name in second) {
    const [previous, value] = [merged[name], second[name] ?? ""];
    merged[name] = previous !== undefined && (name === "Link" || name === "Vary") ? `${previous}, ${value}` : value;
  }
  return merged;
}

function overlaps(first: HeaderFields, second: HeaderFields): boolean {
  for (const name in first) if (name in second) return true;
  return false;
}

function isEmpty(headers: HeaderFields): boolean {
  for (const _ in headers) return false;
  return true;
}

/** Omits `Connection`, which the connection itself sends. Throws if a value could inject another header. */
function serialise(fields: HeaderFields): string {
  let lines = "";
  for (const name in fields) {
    if (name === "Connection") continue;
    const value = fields[name] ?? "";
    if (forbiddenCharacterPattern.test(value))
      throw new Error(`The header ${name} has a character that no header may have.`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

const forbiddenCharacterPattern = /[^\t\x20-\x7e]/;
const defaultHeaders = createSharedHeaders({});
