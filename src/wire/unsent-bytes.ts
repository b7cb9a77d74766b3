import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import type { Peer } from "./message.ts";

/**
 * How many bytes the system holds that the other end of a connection has not taken yet. Undefined if it does not tell, as only Linux
 * does, or knows no such connection.
 */
export function unsentBytes(localPort: number, peer: RemoteEnd): number | undefined {
  return unsentIn(connections(), localPort, peer);
}

type RemoteEnd = Pick<Peer, "address" | "port">;

/** What is unsent on each connection, by its local port and its other end as Linux writes them. */
export type UnsentByEnds = ReadonlyMap<string, number>;

/** What the table of all connections says, as Linux writes it, of those that are open. It is gone through once, however many they are. */
export function readTable(table: string): UnsentByEnds {
  return new Map(
    Array.from(table.matchAll(openConnection), ([, ends = "", unsent = ""]) => [ends, Number.parseInt(unsent, 16)]),
  );
}

/** A connection is open also after its other end has said that it sends nothing more (08). */
const openConnection = /:([\dA-F]{4} [\dA-F]+:[\dA-F]{4}) 0[18] ([\dA-F]{8}):/g;

export function unsentIn(table: UnsentByEnds, localPort: number, { address, port }: RemoteEnd): number | undefined {
  for (const remote of asWritten(address)) {
    const unsent = table.get(`${hex([localPort >> 8, localPort & 255])} ${remote}:${hex([port >> 8, port & 255])}`);
    if (unsent !== undefined) return unsent;
  }
  return undefined;
}

/** As Linux writes it: each four bytes in the order of the processor. A socket for both kinds of addresses has the older kind mapped. */
function asWritten(address: string): string[] {
  if (isIPv6(address)) return [inWords(bytesOf(address))];
  const bytes = address.split(".").map(Number);
  return [inWords(bytes), inWords([...mapped, ...bytes])];
}

const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

function inWords(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) text += hex(bytes.slice(at, at + 4).reverse());
  return text;
}

/** Of an IPv6 address. */
function bytesOf(address: string): number[] {
  // The dotted form of its last four bytes is written like the others.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}

function hex(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}

let known: { readonly until: number; readonly table: UnsentByEnds } | undefined;

/** All that the process can see, not quite as of now: to look takes the longer, the more there are, and is not to take all the time. */
function connections(): UnsentByEnds {
  const begunAt = performance.now();
  if (known && begunAt < known.until) return known.table;
  const table = readTable(["/proc/net/tcp", "/proc/net/tcp6"].map(read).join(""));
  const endedAt = performance.now();
  const pauseMs = Math.max(minPauseMs, Math.min((endedAt - begunAt) * pausePerTime, maxPauseMs));
  known = { until: endedAt + pauseMs, table };
  return table;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const minPauseMs = 250;
const pausePerTime = 20;
/** A client that was found to take nothing is not cut off before another look. */
export const maxPauseMs = 2_000;
