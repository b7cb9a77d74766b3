import { toJson } from "../domain/json.ts";

/** A response before it is sent: without what every response has in common. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function jsonReply(status: number, value: unknown, headers: Reply["headers"] = {}): Reply {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: toJson(value) };
}

export function toResponse({ status, headers, body }: Reply, requestId: string): Response {
  return new Response(body, { status, headers: { ...headers, ...everywhere, "X-Request-Id": requestId } });
}

/** No browser is to take an answer of the API for anything but data. */
const everywhere = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};
