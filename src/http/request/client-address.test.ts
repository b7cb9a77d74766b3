import { expect, test } from "bun:test";
import { wireRequest } from "../../../test/support/wire-request.ts";
import { ClientAddressFinder } from "./client-address.ts";

const clients = new ClientAddressFinder(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "fe80::/10"]);

const findAddress = (peer: string, headers: Record<string, string> = {}) => clients.find(wireRequest(headers, peer));

test.each<[string, string, Record<string, string>, string]>([
  ["that of the peer", "203.0.113.1", {}, "203.0.113.1"],
  [
    "that of an untrusted peer, whatever its headers say",
    "203.0.113.1",
    { "x-forwarded-for": "1.2.3.4" },
    "203.0.113.1",
  ],
  ["the one that a trusted proxy names", "10.1.2.3", { "x-forwarded-for": "203.0.113.1" }, "203.0.113.1"],
  [
    "the last one that is not a trusted proxy's",
    "127.0.0.1",
    { "x-forwarded-for": "1.2.3.4, 203.0.113.1, 10.0.0.7" },
    "203.0.113.1",
  ],
  ["that of the first proxy if all are trusted", "127.0.0.1", { "x-forwarded-for": "10.0.0.1, 10.0.0.2" }, "10.0.0.1"],
  ["the one that a trusted proxy on the same link names", "fe80::1%eth0", { "x-forwarded-for": "1.2.3.4" }, "1.2.3.4"],
  ["given without its port", "127.0.0.1", { "x-forwarded-for": "203.0.113.1:4711" }, "203.0.113.1"],
  ["given without its brackets", "127.0.0.1", { "x-forwarded-for": "[2001:db8::1]:4711" }, "2001:db8::1"],
  ["IPv4 if it was mapped to IPv6", "::ffff:127.0.0.1", { "x-forwarded-for": "::ffff:203.0.113.1" }, "203.0.113.1"],
  ["read from Forwarded", "127.0.0.1", { forwarded: "for=203.0.113.1;proto=https" }, "203.0.113.1"],
  [
    "the last one in Forwarded that is not a trusted proxy's",
    "127.0.0.1",
    { forwarded: 'for=1.2.3.4, proto=http;For="[2001:db8::1]:80", for=10.0.0.1' },
    "2001:db8::1",
  ],
  [
    "that of the proxy if the last element names no address",
    "127.0.0.1",
    { forwarded: "for=1.2.3.4, proto=https" },
    "127.0.0.1",
  ],
  [
    "read from X-Forwarded-For if Forwarded names no address",
    "127.0.0.1",
    { forwarded: "proto=https", "x-forwarded-for": "203.0.113.1" },
    "203.0.113.1",
  ],
  [
    "that of the proxy if an element names two addresses",
    "127.0.0.1",
    { forwarded: "for=203.0.113.7;host=a;for=9.9.9.9" },
    "127.0.0.1",
  ],
  ["that of the proxy if a quote is not closed", "127.0.0.1", { forwarded: 'for=1.2.3.4;x="' }, "127.0.0.1"],
  [
    "the one on which both headers agree",
    "fd00::1",
    { forwarded: "for=203.0.113.1", "x-forwarded-for": "203.0.113.1" },
    "203.0.113.1",
  ],
  [
    "that of the proxy if the headers disagree",
    "127.0.0.1",
    { forwarded: "for=1.2.3.4", "x-forwarded-for": "203.0.113.1" },
    "127.0.0.1",
  ],
  ["that of the proxy if the client is unknown", "127.0.0.1", { forwarded: "for=unknown" }, "127.0.0.1"],
  ["the proxy's if the header is invalid", "127.0.0.1", { "x-forwarded-for": "203.0.113.1, <script>" }, "127.0.0.1"],
  ["empty if the peer has none", "", { "x-forwarded-for": "203.0.113.1" }, ""],
])("the address of a client is %s", (_, peer, headers, expected) => {
  expect(findAddress(peer, headers)).toBe(expected);
});
