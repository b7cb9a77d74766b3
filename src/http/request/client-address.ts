import { isIP } from "node:net";
import { NetworkList } from "../../base/network.ts";
import type { WireRequest } from "../../wire/message.ts";
import { parseAppendedList } from "./header-fields.ts";

/**
 * Determines the IP address of a client. Behind trusted proxies, the client is the last address in the forwarding headers that is not
 * itself a trusted proxy. Forwarding headers from other peers are ignored.
 */
export class ClientAddressFinder {
  readonly #trusted: NetworkList;

  constructor(readonly proxies: readonly string[]) {
    this.#trusted = new NetworkList(proxies);
  }

  find({ headers, peer }: WireRequest): string {
    const address = normalizeAddress(peer.address);
    if (!this.#trusted.has(address)) return address;
    const chains = [parseForwarded(headers.get("forwarded")), parseForwardedFor(headers.get("x-forwarded-for"))];
    const [first, second] = chains
      .filter((chain) => chain.length > 0)
      .map((chain) => chain.findLast((node) => !this.#trusted.has(node)) ?? chain[0]);
    // A proxy writes one of the headers, and may pass on the client's value of the other: if they differ, neither can be trusted.
    if (first === undefined || (second !== undefined && second !== first)) return address;
    return isIP(first) ? first : address;
  }
}

/** Returns the addresses in `Forwarded` (RFC 7239), the nearest last. An element without `for` hides the addresses before that element. */
function parseForwarded(header: string | null): string[] {
  const nodes = parseAppendedList(header).map((pairs) => pairs.filter(({ name }) => name === "for"));
  if (nodes.every((pairs) => pairs.length === 0)) return [];
  // An element with more than one address is malformed.
  return nodes.map(([node, another]) => (another ? "" : normalizeAddress(node?.value ?? "")));
}

function parseForwardedFor(header: string | null): string[] {
  return header === null ? [] : header.split(",").map((part) => normalizeAddress(part.trim()));
}

/** Removes the port and the brackets, and converts IPv4-mapped IPv6 addresses to IPv4. */
function normalizeAddress(node: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
