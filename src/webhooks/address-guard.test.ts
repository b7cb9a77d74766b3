import { expect, test } from "bun:test";
import { AddressGuard } from "./address-guard.ts";

const publicAddresses = [
  ..."8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.0 100.63.0.1 192.31.196.1 2001:200::1 2606:4700:4700::1111".split(" "),
  ..."2a00:1450::1 2606:4700:4700:0:1:: 2606:4700:4700::1.1.1.1 2620:4f:8000::1".split(" "),
];

const refusedAddresses: readonly (readonly [string, readonly string[]])[] = [
  ["a private address", ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
  ["a loopback address", ["127.0.0.1", "127.255.0.1", "::1"]],
  ["an unspecified address", ["0.0.0.0", "0.1.2.3", "::"]],
  [
    "a link-local address, as of the metadata service of clouds",
    ["169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0"],
  ],
  ["an address of a provider's own network", ["100.64.0.1", "100.127.255.255", "192.0.0.1"]],
  ["a unique local address, as of the metadata service of clouds", ["fc00::1", "fd00:ec2::254"]],
  ["a site-local address", ["fec0::1"]],
  ["a multicast or broadcast address", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
  ["a reserved address", ["240.0.0.1", "198.18.0.1", "198.19.255.255", "192.88.99.1"]],
  ["an address for documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"]],
  [
    "an IPv4 address embedded in IPv6",
    ["::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:a9fe:a9fe", "::127.0.0.1"],
  ],
  ["a translated address", ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::8.8.8.8"]],
  ["IPv4-compatible, or translated by SIIT", ["::8.8.8.8", "::808:808", "::ffff:0:8.8.8.8"]],
  [
    "the address of a router",
    ["2606:4700:4700::", "2606:4700:4700:1::", "2606:4700:4700:1:0:0:0:0", "2a00::", "2a00::0.0.0.0"],
  ],
  ["unassigned", ["2000::", "2000::1", "2000:ffff::1", "3ffe::1"]],
  ["an address whose packets are discarded", ["100::1", "100:0:0:1::1"]],
  ["an address of segment routing", ["5f00::1"]],
  ["not canonical", ["00000127.0.0.1", "0127.0.0.1", "8.8.8.08", "127.1", "2130706433", "0x8.8.8.8", "02606::1"]],
  ["an address with a zone", ["2606:4700:4700::1111%eth0"]],
  ["a 6to4 address", ["2002:7f00:1::", "2002:a9fe:a9fe::1"]],
  ["a Teredo address", ["2001::1", "2001:0:5ef5:79fd::1"]],
  ["an IPv6 address for special purposes", ["2001:2::1", "2001:20::1", "2001:1ff:ffff::1"]],
  ["not an address", ["", "localhost", "8.8.8", "8.8.8.8.8", "[::1]"]],
];

test.each(publicAddresses)("events are sent to %s, which is public", (address) => {
  const guard = new AddressGuard([]);
  expect([guard.isAllowed(address), guard.isInAllowedNetwork(address), guard.hasAllowedNetworks]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each(refusedAddresses.flatMap(([kind, addresses]) => addresses.map((address) => [address, kind] as const)))(
  "no events are sent to %j, which is %s",
  (address) => {
    expect(new AddressGuard([]).isAllowed(address)).toBe(false);
  },
);

test("events are sent to networks that the operator has allowed, and to no other private ones", () => {
  const guard = new AddressGuard(["10.1.0.0/16", "127.0.0.1", "fd00::/8", "fe80::/10"]);
  for (const address of ["10.1.2.3", "127.0.0.1", "fd12::1"]) {
    expect([guard.isAllowed(address), guard.isInAllowedNetwork(address)]).toEqual([true, true]);
  }
  for (const address of ["10.2.0.1", "127.0.0.2", "fc00::1", "169.254.169.254", "fe80::1%eth0"]) {
    expect(guard.isAllowed(address)).toBe(false);
  }
});
