import { expect, test } from "bun:test";
import { join } from "node:path";
import { LineReader } from "../../../test/support/program.ts";

test("a second signal ends the program at once, even if it differs from the first", async () => {
  const script = `
    const signal = (await import(process.argv[1])).createInterruptSignal();
    signal.addEventListener("abort", () => console.log(signal.reason.message));
    setInterval(() => {}, 1_000);
    console.log("ready");`;
  const command = [process.execPath, "--no-orphans", "-e", script, join(import.meta.dir, "interruption.ts")];
  const child = Bun.spawn(command, { stdout: "pipe" });
  const stdout = new LineReader(child.stdout);
  await stdout.until(/ready/);
  child.kill("SIGINT");
  expect(await stdout.until(/Stopped/)).toBe("Stopped by SIGINT.\n");
  child.kill("SIGTERM");
  expect(await stdout.until(/never/)).toBe("");
  await child.exited;
  expect(child.signalCode).toBe("SIGTERM");
});
