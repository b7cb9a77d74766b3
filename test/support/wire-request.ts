import { Fields } from "../../src/wire/fields.ts";
import { IncomingBody } from "../../src/wire/incoming-body.ts";
import type { Peer, WireRequest } from "../../src/wire/message.ts";

/** Returns a request without a body, as a connection produces it. The names of the headers must be in lower case. */
export function wireRequest(headers: Readonly<Record<string, string>>, address = "127.0.0.1"): WireRequest {
  return {
    method: "GET",
    target: "/",
    headers: new Fields(new Map(Object.entries(headers))),
    body: new IncomingBody(0, () => {}),
    fault: undefined,
    peer: { address } as Peer,
  };
}
