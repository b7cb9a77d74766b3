import { describe, expect, test } from "bun:test";
import { vaultOf } from "./vault.ts";

const vaultWith = (key: string) =>
  vaultOf(new Request("http://shop.test/", { headers: { authorization: `Bearer ${key}` } }));

describe("a vault", () => {
  test("is opened by the key that sealed it, and shows nothing before", () => {
    const sealed = vaultWith("one").seal("a secret");
    expect(Buffer.from(sealed, "base64url").includes("a secret")).toBe(false);
    expect(vaultWith("one").open(sealed)).toBe("a secret");
    expect(vaultWith("one").seal("a secret")).not.toBe(sealed);
  });

  test("is not opened by another key, and says so without a fault", () => {
    const sealed = vaultWith("one").seal("a secret");
    expect(vaultWith("other").open(sealed)).toBeUndefined();
  });
});
