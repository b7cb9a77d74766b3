import { isIP } from "node:net";
import { NetworkList } from "../base/network.ts";

/** Prevents server-side request forgery: only public addresses, and networks that the operator has allowed, may receive events. */
export class AddressGuard {
  readonly #allowed: NetworkList;
  readonly hasAllowedNetworks: boolean;

  constructor(networks: readonly string[]) {
    this.#allowed = new NetworkList(networks);
    this.hasAllowedNetworks = networks.length > 0;
  }

  isInAllowedNetwork(address: string): boolean {
    // An address with a zone, such as fe80::1%eth0, is a different machine on each network.
    return !address.includes("%") && this.#allowed.has(address);
  }

  isAllowed(address: string): boolean {
    if (this.isInAllowedNetwork(address)) return true;
    const family = isIP(address);
    if (family === 0 || address.includes("%") || nonPublicNetworks.has(address)) return false;
    return family === 4 || (publicIpv6.has(address) && !isRouterAnycast(address));
  }
}

/** Special-purpose networks (RFC 6890), networks that embed an IPv4 address, and networks in 2000::/3 that IANA has not assigned. */
const nonPublicNetworks = new NetworkList([
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
  // Unassigned: the assignments begin with 2001::/23.
  "2000::/16",
  // Protocol assignments, including Teredo, ORCHID and benchmarking.
  "2001::/23",
  "2001:db8::/32",
  // 6to4.
  "2002::/16",
  // The former 6bone (RFC 3701).
  "3ffe::/16",
  "3fff::/20",
]);

/** Excludes loopback, local addresses, multicast, NAT64 and mapped IPv4 addresses. */
const publicIpv6 = new NetworkList(["2000::/3"]);

/** True for the first address of a /64 network, which reaches the nearest router of that network, not a server (RFC 4291, 2.6.1). */
function isRouterAnycast(address: string): boolean {
  return /^\[([\da-f]+:){1,4}:\]$/.test(new URL(`http://[${address}]`).hostname);
}
