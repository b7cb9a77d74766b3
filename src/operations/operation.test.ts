import { expect, test } from "bun:test";
import { noVault } from "./operation.ts";

test("noVault encrypts nothing", async () => {
  expect(await noVault.seal("a secret")).toBeUndefined();
});
