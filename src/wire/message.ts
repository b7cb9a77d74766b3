import type { Fields } from "./fields.ts";
import type { Fault } from "./head.ts";
import type { IncomingBody } from "./incoming-body.ts";

/** A request as it was received. */
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

/** The client's end of the connection. */
export interface Peer {
  readonly address: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Set by the request handler. Trusted connections are served first when the service is busy. */
  isTrusted: boolean;
  /** True if the connection is closed, so no response can reach the client. */
  readonly isClosed: boolean;
  /**
   * Calls back when the client closes the connection or half-closes it before the response is complete; at once if it already has. A
   * client that abandons a long poll looks like one that half-closes.
   */
  onEnd(call: () => void): void;
  /** Calls back when the connection is closed before the response is complete; at once if it already is. */
  onClose(call: () => void): void;
  /** Restarts the write timeout. With the short timeout, a client that stops reading is disconnected within seconds. */
  useShortWriteTimeout(isShort: boolean): void;
  /** Returns the number of bytes that the client has acknowledged or, if the kernel does not report that, that the kernel has accepted. */
  takenBytes(): number;
}

export interface WireResponse {
  readonly status: number;
  /** The header fields of the application, each a line that ends with CRLF. */
  readonly head: string;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** The length of a text body in bytes, if the caller has already computed it. */
  readonly bodyBytes?: number | undefined;
  /** True if the connection is to be closed after this response. */
  readonly isLast: boolean;
}

export function statusLine(status: number): string {
  return statusLines.get(status) ?? `HTTP/1.1 ${status} \r\n`;
}

/** The reason phrases of all statuses that are sent. `node:http` has them too, but takes long to load. */
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

const statusLines = new Map(
  Object.entries(reasons).map(([status, reason]) => [Number(status), `HTTP/1.1 ${status} ${reason}\r\n`]),
);
