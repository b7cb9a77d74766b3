import { lookup } from "node:dns/promises";
import { dns } from "bun";
import { withDeadline } from "../base/deadline.ts";

/**
 * The addresses of a host. Name servers are asked by the runtime itself, as `/etc/hosts` and `/etc/resolv.conf` say: a look-up by
 * the operating system takes one of the few threads of the process until it is over, and other names, and all else that needs a
 * thread, would wait for a name whose servers do not answer. The system is asked for what is not found so, or not soon, because it
 * may know other ways to find a name, or other servers by now.
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

const underWay = new Map<string, Promise<string[]>>();
let last: Promise<unknown> = Promise.resolve();

/** One after the other, so that no more than one thread ever waits. */
function askSystem(host: string): Promise<string[]> {
  const known = underWay.get(host);
  if (known) return known;
  const found = last.then(() => lookUp(host)).finally(() => underWay.delete(host));
  last = found.catch(() => {});
  underWay.set(host, found);
  return found;
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
}
