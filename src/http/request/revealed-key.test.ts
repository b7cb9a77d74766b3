import { expect, test } from "bun:test";
import { wireRequest } from "../../../test/support/wire-request.ts";
import { generateKey } from "../../domain/key-secret.ts";
import { mayRevealKey } from "./revealed-key.ts";

const token = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
const { headers } = wireRequest({ authorization: `Bearer ${token}` });
const secret = generateKey().slice("ask_".length);

test.each([
  ["the key of the request", token],
  ["the key of the request among other text", `curl ${token} 8`],
  ["the key of the request without its beginning", token.slice(4)],
  ["twelve characters of the key of the request", `id:${token.slice(9, 21)}:x`],
  ["the prefix of all keys", "ask_x"],
  ["another key of the service without its beginning", secret],
  ["another key of the service without its beginning, among other text", `K1${secret}AB`],
])("text with %s may reveal a key", (_, text) => {
  expect(mayRevealKey(text, headers)).toBe(true);
});

test.each([
  ["no part of the key", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"],
  ["eleven characters of the key", `id:${token.slice(9, 20)}:x`],
  ["a mistyped key", secret.replace(/.$/, (last) => (last === "A" ? "B" : "A"))],
  ["no characters", ""],
])("text with %s reveals no key", (_, text) => {
  expect(mayRevealKey(text, headers)).toBe(false);
});

test("any twelve consecutive characters of a key reveal the key, but eleven do not", () => {
  for (let start = 0; start + 12 <= token.length; start++) {
    expect(mayRevealKey(`:${token.slice(start, start + 12)}:`, headers)).toBe(true);
    expect(mayRevealKey(`:${token.slice(start, start + 11)}:`, headers)).toBe(false);
  }
});

test("text in a request without a key can still reveal a key of the service", () => {
  const { headers: none } = wireRequest({});
  expect([token, secret].map((text) => mayRevealKey(text, none))).toEqual([false, true]);
});
