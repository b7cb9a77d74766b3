import { isIP } from "node:net";
import { NetworkList } from "../../base/network.ts";
import type { WireRequest } from "../../wire/message.ts";
import { appendedElementsOf } from "./header-fields.ts";

/**
 * Finds out who sent a request. Behind proxies that the operator trusts, it is the last address that they name and that
 * is not one of them; what anybody else says about it is not believed.
 */
export class ClientAddress {
  readonly #trusted: NetworkList;

  /** Takes addresses and networks such as `10.0.0.0/8`. */
  constructor(readonly proxies: readonly string[]) {
    this.#trusted = new NetworkList(proxies);
  }

  of({ headers, peer }: WireRequest): string {
    const address = plain(peer.address);
    if (!this.#trusted.has(address)) return address;
    const chains = [forwardedFor(headers.get("forwarded")), addressesIn(headers.get("x-forwarded-for"))].filter(
      (chain) => chain.length > 0,
    );
    const [first, second] = chains.map((chain) => chain.findLast((one) => !this.#trusted.has(one)) ?? chain[0]);
    // A proxy writes one of the headers and lets the other pass as the client sent it: which is which cannot be told.
    if (first === undefined || (second !== undefined && second !== first)) return address;
    return isIP(first) ? first : address;
  }
}

/**
 * The addresses in `Forwarded` (RFC 7239), the nearest last. A proxy that names none, after one that does, hides who called
 * it: what stands before that may be from anybody.
 */
function forwardedFor(header: string | null): string[] {
  const named = appendedElementsOf(header).map((pairs) => pairs.filter(({ name }) => name === "for"));
  if (named.every((pairs) => pairs.length === 0)) return [];
  // An element may name one only; of several, the proxy may have written any.
  return named.map(([only, another]) => (another ? "" : plain(only?.value ?? "")));
}

function addressesIn(header: string | null): string[] {
  return header === null ? [] : header.split(",").map((part) => plain(part.trim()));
}

/** Without a port, without brackets, and an address of version 4 as one, also where it is wrapped in one of version 6. */
function plain(node: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
