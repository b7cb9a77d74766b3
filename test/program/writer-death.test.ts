import { expect, test } from "bun:test";
import { join } from "node:path";
import { RunningProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Returns a preload script that, on SIGWINCH, harms the program's Worker as a fault of the runtime would. */
const sabotageScript = (harm: string) => `
  const Real = globalThis.Worker;
  globalThis.Worker = class extends Real {
    constructor(...args) {
      super(...args);
      process.on("SIGWINCH", () => { ${harm} });
    }
  };
`;

test.each([
  ["is terminated", "this.terminate()", "the writer thread has ended"],
  ["meets a fault", "this.postMessage({ task: 'commit', argument: 1 })", "batch.flatMap is not a function"],
])("if the Worker %s, the process logs one line and ends", async (_, harm, reason) => {
  using folder = temporaryFolder();
  const preload = join(folder.path, "sabotage.js");
  await Bun.write(preload, sabotageScript(harm));
  const path = join(folder.path, "animals.db");
  await using program = await RunningProgram.start(path, {
    runtimeArgs: ["--preload", preload],
    args: ["--log-level", "error"],
  });
  const { json } = await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  program.child.kill("SIGWINCH");
  expect(await program.child.exited).toBe(1);
  const text = await program.child.stderr.text();
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(text)).toMatchObject({ level: "error" });
  expect(JSON.parse(text).message).toStartWith(`the database can no longer be written to: ${reason}`);
  await using again = await RunningProgram.start(path);
  expect((await again.client.call("/v1/pets")).json).toEqual([json]);
});
