import { isIP } from "node:net";

/** The host of a URL, without the brackets of an IP address of version 6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && bits > 0 && (length === undefined || (/^[0-9]{1,3}$/.test(length) && Number(length) <= bits))
  );
}
