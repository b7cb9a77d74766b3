import { HttpError } from "../reply/errors.ts";

/** What the runtime's parser lets pass although HTTP forbids it, or would end without an answer of ours. */
export function framingFault({ url, headers }: Request): HttpError | undefined {
  // A fragment is never sent, and what would come of one depends on where in the address it stands.
  if (url.includes("#")) return unsound("Send the request target without a fragment (#).");
  const host = headers.get("host");
  if (host !== null && !isKnownHost(host)) {
    return unsound("Send one Host header: a host name or an address, with or without a port.");
  }
  // Two that are equal come as one, joined by a comma.
  const length = headers.get("content-length");
  if (length !== null && !/^\d+$/.test(length)) return unsound("Send one Content-Length header: a number of bytes.");
  // The parser gives up at a trailer, after the body has been read: too late to say anything.
  return headers.has("trailer") ? unsound("Send the body without trailers.") : undefined;
}

function unsound(message: string): HttpError {
  return new HttpError("BadRequest", message);
}

/**
 * Refuses a write whose connection has ended before it was begun: the parser has found something after the request that is
 * no request, or the client is gone, and nobody can be told what becomes of it. The parser shows that only after all that
 * has arrived in this turn of the event loop was parsed. Throws BadRequest.
 */
export async function requireNotAbandoned(request: Request): Promise<void> {
  await endOfTurn();
  if (request.signal.aborted) {
    throw new HttpError("BadRequest", "The connection was closed before the request started. Nothing was changed.");
  }
}

/** One timer for everything that waits in the same turn. */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

let turn: Promise<void> | undefined;

/** Hardly any server is called by more than a few names, so that a look at each is enough. */
function isKnownHost(host: string): boolean {
  if (knownHosts.has(host)) return true;
  if (!hostPattern.test(host)) return false;
  if (knownHosts.size >= mostKnownHosts) knownHosts.clear();
  knownHosts.add(host);
  return true;
}

const knownHosts = new Set<string>();
const mostKnownHosts = 100;

/** A name, an address of version 4 or one of version 6 in brackets (RFC 3986), but no comma, which joins two fields. */
const hostPattern = /^(?:(?:[\w.~!$&'()*+;=-]|%[\dA-Fa-f]{2})*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Calls back once the client has left. It may be gone already, which nobody would be told any more. */
export function whenGone({ signal }: Request, call: () => void): void {
  if (signal.aborted) call();
  else signal.addEventListener("abort", call);
}
