import type { Fields } from "./fields.ts";
import type { Fault } from "./head.ts";
import type { IncomingBody } from "./incoming-body.ts";

/** A request, as it came over a connection. */
export interface WireRequest {
  readonly method: string;
  /** The path with the query, as it was sent; bytes beyond ASCII are percent-encoded. Empty if it was not understood. */
  readonly target: string;
  readonly headers: Fields;
  readonly body: IncomingBody;
  /** Why it cannot be handled, if it cannot. Its connection ends with the response. */
  readonly fault: Fault | undefined;
  readonly peer: Peer;
}

/** The connection that a request came over, as far as its handler has to do with it. */
export interface Peer {
  readonly address: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Set by the handler of requests: a trusted connection is served before others when the service is busy. */
  isTrusted: boolean;
  /** Whether no response can reach it any more. */
  readonly isGone: boolean;
  /**
   * Calls back once it is gone, or sends nothing more, if that comes before the response is complete: whoever waits for something
   * leaves by closing the connection, which looks the same. It may have happened already.
   */
  onLeave(call: () => void): void;
  /** Calls back once it is gone, if that comes before the response is complete. It may have happened already. */
  onGone(call: () => void): void;
  /** Cuts the connection off, within some seconds, unless the client takes what it is sent. */
  cutIfStalled(): void;
  /** Takes that back, and gives the client as long as any other from now on. */
  keepOpen(): void;
  /** Number of bytes that the client has taken of what it was sent; what the system holds counts where the system does not tell. */
  takenBytes(): number;
}

export interface WireResponse {
  readonly status: number;
  /** The header fields that are its own, each a line that ends with CRLF. */
  readonly head: string;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** How many bytes a text has as a body, where that was counted already. */
  readonly bodyBytes?: number | undefined;
  /** Whether the connection ends with it. */
  readonly isLast: boolean;
}

export function statusLine(status: number): string {
  return statusLines.get(status) ?? `HTTP/1.1 ${status} \r\n`;
}

/** Of every status that is sent. The runtime knows them too, but only with an HTTP client that takes long to load. */
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
