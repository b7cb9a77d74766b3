import { expect, test } from "bun:test";
import { noVault } from "./operation.ts";

test("nothing is sealed for a request that cannot be repeated", async () => {
  expect(await noVault.seal("a secret")).toBeUndefined();
});
