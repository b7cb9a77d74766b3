import { BlockList, isIP } from "node:net";

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** True for an IP address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", length = "0", ...rest] = text.split("/");
  const maxLength = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^[0-9]{1,3}$/.test(length) && Number(length) <= maxLength;
}

/** A set of addresses and networks such as `10.0.0.0/8`. */
export class NetworkList {
  readonly #list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = "", length] = network.split("/");
      const isVersion6 = isIP(address) === 6;
      this.#list.addSubnet(address, Number(length ?? (isVersion6 ? 128 : 32)), isVersion6 ? "ipv6" : "ipv4");
    }
  }

  /** False for a text that is not an address. */
  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 6 ? "ipv6" : "ipv4");
  }
}
