import { describe, expect, test } from "bun:test";
import { wireRequest } from "../../../test/support/wire-request.ts";
import { ClientAddress } from "./client-address.ts";

const clients = new ClientAddress(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "fe80::/10"]);

const of = (peer: string, headers: Record<string, string> = {}) => clients.of(wireRequest(headers, peer));

describe("the address of a client", () => {
  test.each<[string, string, Record<string, string>, string]>([
    ["is the peer's", "203.0.113.1", {}, "203.0.113.1"],
    [
      "is the peer's whatever it says, unless it is trusted",
      "203.0.113.1",
      { "x-forwarded-for": "1.2.3.4" },
      "203.0.113.1",
    ],
    ["is the one that a trusted proxy names", "10.1.2.3", { "x-forwarded-for": "203.0.113.1" }, "203.0.113.1"],
    [
      "is the last that no trusted proxy has",
      "127.0.0.1",
      { "x-forwarded-for": "1.2.3.4, 203.0.113.1, 10.0.0.7" },
      "203.0.113.1",
    ],
    [
      "is that of the first proxy if all are trusted",
      "127.0.0.1",
      { "x-forwarded-for": "10.0.0.1, 10.0.0.2" },
      "10.0.0.1",
    ],
    ["is named by a trusted proxy on the same link", "fe80::1%eth0", { "x-forwarded-for": "1.2.3.4" }, "1.2.3.4"],
    ["has no port", "127.0.0.1", { "x-forwarded-for": "203.0.113.1:4711" }, "203.0.113.1"],
    ["has no brackets", "127.0.0.1", { "x-forwarded-for": "[2001:db8::1]:4711" }, "2001:db8::1"],
    ["is plain where it is wrapped", "::ffff:127.0.0.1", { "x-forwarded-for": "::ffff:203.0.113.1" }, "203.0.113.1"],
    ["is read from Forwarded", "127.0.0.1", { forwarded: "for=203.0.113.1;proto=https" }, "203.0.113.1"],
    [
      "is the last in Forwarded",
      "127.0.0.1",
      { forwarded: 'for=1.2.3.4, proto=http;For="[2001:db8::1]:80", for=10.0.0.1' },
      "2001:db8::1",
    ],
    [
      "is the proxy's where the last one names nobody",
      "127.0.0.1",
      { forwarded: "for=1.2.3.4, proto=https" },
      "127.0.0.1",
    ],
    [
      "is read from the other header where nobody is named in one",
      "127.0.0.1",
      { forwarded: "proto=https", "x-forwarded-for": "203.0.113.1" },
      "203.0.113.1",
    ],
    [
      "is the proxy's where an element names two",
      "127.0.0.1",
      { forwarded: "for=203.0.113.7;host=a;for=9.9.9.9" },
      "127.0.0.1",
    ],
    ["is the proxy's where a quote is left open", "127.0.0.1", { forwarded: 'for=1.2.3.4;x="' }, "127.0.0.1"],
    [
      "is the one on which both headers agree",
      "fd00::1",
      { forwarded: "for=203.0.113.1", "x-forwarded-for": "203.0.113.1" },
      "203.0.113.1",
    ],
    [
      "is the proxy's where they do not",
      "127.0.0.1",
      { forwarded: "for=1.2.3.4", "x-forwarded-for": "203.0.113.1" },
      "127.0.0.1",
    ],
    ["is the proxy's where no address is named", "127.0.0.1", { forwarded: "for=unknown" }, "127.0.0.1"],
    ["is the proxy's where nonsense is", "127.0.0.1", { "x-forwarded-for": "203.0.113.1, <script>" }, "127.0.0.1"],
    ["is nothing for a peer without one", "", { "x-forwarded-for": "203.0.113.1" }, ""],
  ])("the address of a client is determined: %s", (_, peer, headers, expected) => {
    expect(of(peer, headers)).toBe(expected);
  });
});
