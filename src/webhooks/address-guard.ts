import { isIP } from "node:net";
import { NetworkList } from "../base/network.ts";

/**
 * Decides which addresses webhooks may be sent to: those of the public Internet, and those in networks that the operator has
 * named. Any other address may belong to a machine that only this one can reach, and must not be reached through it.
 */
export class AddressGuard {
  readonly #named: NetworkList;
  /** True if the operator has named any network. */
  readonly hasNamed: boolean;

  /** Takes addresses and networks such as `10.0.0.0/8`. */
  constructor(networks: readonly string[]) {
    this.#named = new NetworkList(networks);
    this.hasNamed = networks.length > 0;
  }

  /** True if the address is in a network that the operator has named. */
  isNamed(address: string): boolean {
    // An address with a zone, such as fe80::1%eth0, means another machine on each network.
    return !address.includes("%") && this.#named.has(address);
  }

  isAllowed(address: string): boolean {
    if (this.isNamed(address)) return true;
    const family = isIP(address);
    if (family === 0 || address.includes("%") || notPublic.has(address)) return false;
    return family === 4 || (publicVersion6.has(address) && !isRouterAnycast(address));
  }
}

/**
 * The networks that are not globally reachable in the registries of special-purpose addresses of IANA (RFC 6890), those that
 * contain an address of version 4, and those in 2000::/3 that IANA assigns to no network of the Internet.
 */
const notPublic = new NetworkList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Not assigned: the assignments begin with 2001::/23.
  "2000::/16",
  // Protocol assignments, with Teredo, ORCHID and benchmarking.
  "2001::/23",
  "2001:db8::/32",
  // 6to4.
  "2002::/16",
  // The former 6bone (RFC 3701).
  "3ffe::/16",
  "3fff::/20",
]);

/** Global unicast. Loopback, local addresses, multicast, NAT64, and version 4 in version 6 are outside. */
const publicVersion6 = new NetworkList(["2000::/3"]);

/** True for the first address of a /64 network: it reaches the nearest router of that network, not a server (RFC 4291, 2.6.1). */
function isRouterAnycast(address: string): boolean {
  return /^\[([\da-f]+:){1,4}:\]$/.test(new URL(`http://[${address}]`).hostname);
}
