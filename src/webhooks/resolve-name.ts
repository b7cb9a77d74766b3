import { lookup } from "node:dns/promises";
import { dns } from "bun";
import { withDeadline } from "../base/deadline.ts";

/**
 * Returns the addresses of a host. The runtime's own resolver is tried first, because a look-up by the operating system blocks one of
 * the few threads of the process until the name servers respond. The system may know other ways to find a name, or newer servers,
 * so it is tried if the resolver fails or is slow.
 */
export async function resolveName(host: string): Promise<readonly string[]> {
  const asked = askServers(host);
  try {
    return await withDeadline(headStartMs, asked, () => new Error("no answer yet"));
  } catch {
    const bySystem = askSystem(host);
    return await Promise.any([asked, bySystem]).catch(() => bySystem);
  }
}

const headStartMs = 3_000;

async function askServers(host: string): Promise<string[]> {
  return (await dns.lookup(host, { backend: "c-ares" })).map(({ address }) => address);
}

const inFlight = new Map<string, Promise<string[]>>();
let last: Promise<unknown> = Promise.resolve();

/** Serialises look-ups, so that they block at most one thread. */
function askSystem(host: string): Promise<string[]> {
  const known = inFlight.get(host);
  if (known) return known;
  const found = last.then(() => lookUp(host)).finally(() => inFlight.delete(host));
  last = found.catch(() => {});
  inFlight.set(host, found);
  return found;
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
}
