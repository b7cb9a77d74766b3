import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { curlSkipReason, succeeds, testUnless } from "./support/conditional-test.ts";
import { projectFolder } from "./support/program.ts";
import { startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary.ts";

const guide = readFileSync(join(projectFolder, "docs/api.md"), "utf8");
const tutorial = /^## Ten minutes with curl\n.*?(?=^## )/ms.exec(guide)?.[0] ?? "";
const steps = [...tutorial.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)];

const opensslSkipReason = succeeds("openssl", "version") ? undefined : "openssl is not installed";

test("nine steps of the tutorial show their output", () => {
  expect(steps.filter(([, , output]) => output)).toHaveLength(9);
});

testUnless(curlSkipReason() ?? opensslSkipReason, "the tutorial shows the real output of its commands", async () => {
  await using service = await startService({}, "sqlite");
  using folder = temporaryFolder();
  const script = steps.map(([, commands = ""]) => `${commands}\necho '${separator}'\n`).join("");
  const shell = Bun.spawn(["sh", "-c", useService(script, service.client.url, service.client.key)], {
    cwd: folder.path,
    env: { PATH: process.env["PATH"] },
  });
  const outputs = (await shell.stdout.text()).replaceAll("\r", "").split(`${separator}\n`);
  for (const [index, [, commands, shown = ""]] of steps.entries())
    expect(`${commands}${outputs[index]?.trim()}`).toMatch(toPattern(`${commands}${shown.trim()}`));
});

const separator = "--- end of a step ---";

function useService(script: string, { origin }: URL, key: string): string {
  return script.replace("http://127.0.0.1:8080", origin).replace(/KEY=ask_.*/, `KEY=${key}`);
}

/** Returns a pattern in which `...` stands for any text. */
function toPattern(text: string): RegExp {
  const literals = text.split("...").map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${literals.join(".*")}$`);
}
