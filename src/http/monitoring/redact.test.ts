import { expect, test } from "bun:test";
import { redactMethod, redactPath } from "./redact.ts";

test.each([
  ["/v1/pets/12", "/v1/pets/12"],
  ["/v1/webhooks/12/deliveries/123456/retry", "/v1/webhooks/12/deliveries/123456/retry"],
  ["/v1/pets/123456789012345", "/v1/pets/123456789012345"],
  ["/v1/pets/1234567890123456", "/v1/pets/..."],
  ["/v1/webhooks/1234567890123456/deliveries", "/v1/webhooks/.../deliveries"],
])("of a path that leads somewhere, no part as long as a key is shown: %s", (path, shown) => {
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
])(
  "of a path that leads nowhere, nothing as long as a key is shown, with slashes in it or without: %s",
  (path, shown) => {
    expect(redactPath(path, false)).toBe(shown);
  },
);

test("a method as long as a key is not shown", () => {
  expect(redactMethod("PROPFIND")).toBe("PROPFIND");
  expect(redactMethod("abcdefghijklmno")).toBe("abcdefghijklmno");
  expect(redactMethod("abcdefghijklmnop")).toBe("...");
});
