import { lookup } from "node:dns/promises";
import { dns } from "bun";
import { withDeadline } from "../base/deadline.ts";

/** Queries name servers directly, and the operating system only after a delay, because look-ups by the system block one of few threads. */
export async function resolveName(host: string): Promise<readonly string[]> {
  const fromServers = dns.lookup(host, { backend: "c-ares" }).then((results) => results.map(({ address }) => address));
  try {
    return await withDeadline(headStartMs, fromServers, () => new Error("no response yet"));
  } catch {
    const fromSystem = lookUpBySystem(host);
    return await Promise.any([fromServers, fromSystem]).catch(() => fromSystem);
  }
}

const headStartMs = 3_000;

const inFlight = new Map<string, Promise<string[]>>();
let lastLookup: Promise<unknown> = Promise.resolve();

/** Serialises look-ups, so that they block at most one thread. */
function lookUpBySystem(host: string): Promise<string[]> {
  const pending = inFlight.get(host);
  if (pending) return pending;
  const addresses = lastLookup
    .then(() => lookup(host, { all: true, order: "verbatim" }))
    .then((results) => results.map(({ address }) => address))
    .finally(() => inFlight.delete(host));
  lastLookup = addresses.catch(() => {});
  inFlight.set(host, addresses);
  return addresses;
}
