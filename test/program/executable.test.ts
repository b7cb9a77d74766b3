import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { testInHostileFolders } from "../support/hostile-folder.ts";
import { endBySignal, LineReader, projectFolder } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const program = join(folder.path, "animal-store");
const built = spawnSync(process.execPath, [join(projectFolder, "scripts/build-executable.ts"), program]);
expect([built.status, String(built.stderr)]).toEqual([0, ""]);
afterAll(() => folder[Symbol.dispose]());

describe("a command of the executable", () => testInHostileFolders(() => program));

test("the executable works in a folder without any other file", async () => {
  const shown = spawnSync(program, ["--version"], { cwd: folder.path, encoding: "utf8" });
  const { version } = await Bun.file(join(projectFolder, "package.json")).json();
  const isGitCheckout = spawnSync("git", ["rev-parse", "HEAD"], { cwd: projectFolder }).status === 0;
  const commit = / \(commit [0-9a-f]{12}\+?, \d{4}-\d\d-\d\d\)/.exec(shown.stdout)?.[0];
  expect([commit !== undefined, shown.stdout]).toEqual([isGitCheckout, `${version}${commit ?? ""}\n`]);
  await using child = Bun.spawn([program, "serve", "--port", "0"], {
    cwd: folder.path,
    env: { ANIMAL_STORE_API_KEY: "a-key-for-executables" },
    stdout: "pipe",
    stderr: "ignore",
  });
  const greeting = await new LineReader(child.stdout).until(/in a browser/);
  const client = new Client(new URL(/http:\S+(?=\/v1,)/.exec(greeting)?.[0] ?? ""), "a-key-for-executables");
  expect((await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } })).status).toBe(201);
  for (const [view, minScriptBytes] of [
    ["/", 30_000],
    ["/docs", 2_000],
  ] as const) {
    const { status, text } = await client.call(view);
    expect(status).toBe(200);
    const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(text) ?? [];
    const { headers, bytes } = await client.bytes(script, { "accept-encoding": "br" });
    expect([headers.get("content-encoding"), bytes.length > minScriptBytes]).toEqual(["br", true]);
  }
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
  const list = spawnSync(program, ["keys", "list"], { cwd: folder.path, encoding: "utf8" });
  expect(list.status).toBe(0);
  for (const args of [
    ["backup", "backup.db"],
    ["restore", "backup.db", "--replace"],
  ]) {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder.path, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: expect.stringContaining("1 animal,"), stderr: "" });
  }
});
