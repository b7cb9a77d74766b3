import type { Fields } from "./fields.ts";
import type { Fault } from "./head.ts";
import type { IncomingBody } from "./incoming-body.ts";

export interface WireRequest {
  readonly method: string;
  /** The path and query as sent, with bytes beyond ASCII percent-encoded; empty if the target could not be parsed. */
  readonly target: string;
  readonly headers: Fields;
  readonly body: IncomingBody;
  /** The reason why the request is malformed or unsupported. The connection is closed after the response. */
  readonly fault: Fault | undefined;
  readonly peer: Peer;
}

export interface Peer {
  readonly address: string;
  readonly isSecure: boolean;
  isTrusted: boolean;
  readonly isClosed: boolean;
  /**
   * Calls back when the client closes or half-closes the connection before the response is complete; immediately if that has already
   * happened. A half-close counts, because it looks the same as a client that abandons a long poll.
   */
  onEnd(callback: () => void): void;
  /** Restarts the write timeout. With the short timeout, a client that stops reading is disconnected within seconds. */
  useShortWriteTimeout(isShort: boolean): void;
  /** Returns the number of bytes that the client has acknowledged or, if the kernel does not report that, that the kernel has accepted. */
  acknowledgedBytes(): number;
}

export interface WireResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly bodyBytes?: number | undefined;
  readonly shouldClose: boolean;
}

export function formatStatusLine(status: number): string {
  return `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\n`;
}

/** The reason phrases of all statuses that are sent. `node:http` has the same phrases, but takes long to load. */
const reasons: Readonly<Record<number, string>> = {
  100: "Continue",
  200: "OK",
  201: "Created",
  204: "No Content",
  304: "Not Modified",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  507: "Insufficient Storage",
};
