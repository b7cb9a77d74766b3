import { BlockList, isIP } from "node:net";

/**
 * Says which addresses events may be sent to: those of the public Internet, and networks that the operator has named. All
 * others may be something within reach of this machine alone, to which nobody should get by way of it.
 */
export class AddressGuard {
  readonly #named = new BlockList();
  /** Whether the operator has named any network. */
  readonly hasNamed: boolean;

  /** Takes addresses and networks such as `10.0.0.0/8`. */
  constructor(networks: readonly string[]) {
    for (const network of networks) add(this.#named, network);
    this.hasNamed = networks.length > 0;
  }

  /** Whether the operator has named its network. */
  isNamed(address: string): boolean {
    return isIn(this.#named, address);
  }

  isAllowed(address: string): boolean {
    if (this.isNamed(address)) return true;
    const family = isIP(address);
    if (family === 4) return !isIn(notPublic, address);
    return family === 6 && isIn(publicVersion6, address) && !isIn(notPublic, address);
  }
}

/** As the registries of IANA have them (RFC 6890), and those that stand for an address of version 4. */
const notPublic = listOf(
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
  // Teredo among others.
  "2001::/23",
  "2001:db8::/32",
  // 6to4.
  "2002::/16",
  "3fff::/20",
);

/** All that is global unicast. Loopback, local addresses, and version 4 within version 6 are outside. */
const publicVersion6 = listOf("2000::/3");

function listOf(...networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) add(list, network);
  return list;
}

function add(list: BlockList, network: string): void {
  const [address = "", length] = network.split("/");
  const family = familyOf(address);
  list.addSubnet(address, Number(length ?? (family === "ipv4" ? 32 : 128)), family);
}

function isIn(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && !address.includes("%") && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
