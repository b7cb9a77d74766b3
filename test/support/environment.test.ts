import { expect, test } from "bun:test";
import { clearEnvironment } from "./environment.ts";

test("programs that tests start do not inherit the settings of the test run", () => {
  const isRuntimeVariable = (name: string) => /^(BUN_JSC|MIMALLOC)_/.test(name);
  const findSettings = () =>
    Object.keys(process.env).filter((name) => isRuntimeVariable(name) || name === "RATE_LIMIT");
  expect(findSettings()).toEqual([]);
  Object.assign(process.env, { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1", RATE_LIMIT: "1" });
  expect(findSettings()).toHaveLength(3);
  clearEnvironment();
  expect(findSettings()).toEqual([]);
});
