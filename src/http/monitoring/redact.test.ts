import { expect, test } from "bun:test";
import { redactMethod, redactPath } from "./redact.ts";

test.each([
  ["/v1/pets/12", "/v1/pets/12"],
  ["/v1/webhooks/12/deliveries/123456/retry", "/v1/webhooks/12/deliveries/123456/retry"],
  ["/v1/pets/123456789012345", "/v1/pets/123456789012345"],
  ["/v1/pets/1234567890123456", "/v1/pets/..."],
  ["/v1/webhooks/1234567890123456/deliveries", "/v1/webhooks/.../deliveries"],
])("a segment of a known path that is as long as a key is redacted: %s", (path, shown) => {
  expect(redactPath(path, true)).toBe(shown);
});

test.each([
  ["/v1/pet", "/v1/pet"],
  ["/v1/pets/1/photo", "/v1/pets/1/photo"],
  ["/wp-login.php", "/wp-login.php"],
  ["/v1/a/b/c/d/e/f/g/h", "/v1/a/b/c/d/e/f/g/h"],
  ["/v1/a/b/c/d/e/f/g/hi", "/v1/..."],
  ["/v1234/a/b/c/d/e/f", "/..."],
  ["/abc/def/ghi/jkl=", "/..."],
])("an unknown path that is as long as a key is redacted, even with slashes: %s", (path, shown) => {
  expect(redactPath(path, false)).toBe(shown);
});

test("a method that is as long as a key is redacted", () => {
  expect(redactMethod("PROPFIND")).toBe("PROPFIND");
  expect(redactMethod("abcdefghijklmno")).toBe("abcdefghijklmno");
  expect(redactMethod("abcdefghijklmnop")).toBe("...");
});
