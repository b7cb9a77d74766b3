import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import type { Peer } from "./message.ts";

/** Returns the number of bytes that the kernel holds because the client has not acknowledged them; undefined except on Linux. */
export function readUnsentBytes(localPort: number, peer: RemoteEnd): number | undefined {
  return findUnsentBytes(readConnections(), localPort, peer);
}

type RemoteEnd = Pick<Peer, "address" | "port">;

/** The unsent bytes of each connection, by its local port and its remote end in the notation of Linux. */
export type UnsentBytesTable = ReadonlyMap<string, number>;

/** Parses Linux's table of TCP connections in one pass. */
export function parseTcpTable(table: string): UnsentBytesTable {
  return new Map(
    Array.from(table.matchAll(openConnection), ([, ends = "", unsent = ""]) => [ends, Number.parseInt(unsent, 16)]),
  );
}

/** A connection that is established (01), or that the client has half-closed (08). */
const openConnection = /:([\dA-F]{4} [\dA-F]+:[\dA-F]{4}) 0[18] ([\dA-F]{8}):/g;

export function findUnsentBytes(table: UnsentBytesTable, localPort: number, remote: RemoteEnd): number | undefined {
  for (const address of formatAddress(remote.address)) {
    const ends = `${formatPort(localPort)} ${address}:${formatPort(remote.port)}`;
    const unsent = table.get(ends);
    if (unsent !== undefined) return unsent;
  }
  return undefined;
}

/** Returns an address as Linux writes it, in words of the processor's byte order; IPv4 also mapped to IPv6, as on dual-stack sockets. */
function formatAddress(address: string): string[] {
  if (isIPv6(address)) return [toWords(parseIpv6(address))];
  const bytes = address.split(".").map(Number);
  return [toWords(bytes), toWords([...mappedPrefix, ...bytes])];
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

function toWords(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) text += toHex(bytes.slice(at, at + 4).reverse());
  return text;
}

function parseIpv6(address: string): number[] {
  // The URL parser also converts an address whose last four bytes are in dotted notation.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const parseGroups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [parseGroups(head), parseGroups(tail ?? "")];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}

function formatPort(port: number): string {
  return toHex([port >> 8, port & 255]);
}

function toHex(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}

let cache: { readonly until: number; readonly table: UnsentBytesTable } | undefined;

/** Reads all connections that the process can see. The table is cached for a multiple of the time that reading it takes. */
function readConnections(): UnsentBytesTable {
  const startedAt = performance.now();
  if (cache && startedAt < cache.until) return cache.table;
  const table = parseTcpTable(["/proc/net/tcp", "/proc/net/tcp6"].map(readIfPresent).join(""));
  const endedAt = performance.now();
  const cacheMs = Math.max(minCacheMs, Math.min((endedAt - startedAt) * cacheFactor, maxCacheMs));
  cache = { until: endedAt + cacheMs, table };
  return table;
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Systems other than Linux have no such file.
    return "";
  }
}

const minCacheMs = 250;
const cacheFactor = 20;
/** Less than half of the short write timeout, so that a client is never disconnected on the evidence of a single read. */
export const maxCacheMs = 2_000;
