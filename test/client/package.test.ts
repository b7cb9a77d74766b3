import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientProject, clientProject } from "../support/client-project.ts";
import { projectFolder } from "../support/program.ts";
import { startService } from "../support/service.ts";

let project: ClientProject;
beforeAll(() => {
  project = clientProject();
});
afterAll(() => project[Symbol.dispose]());

/** The programs of a page, one after the other, and what they say that they print; but not that for other clients. */
function programIn(page: string): { source: string; printed: string[] } {
  const [markdown = ""] = readFileSync(join(projectFolder, page), "utf8").split("\n## Other clients\n");
  const source = [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, program]) => program).join("\n");
  const printed = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  if (source.match(/console\.log/g)?.length !== printed.length)
    throw new Error(`${page} prints what it does not show.`);
  return { source, printed };
}

describe.each(["README.md", "docs/client.md"])("the program in %s", (page) => {
  test.each(["node", process.execPath])("is right with the installed package, in %s", async (runtime) => {
    await using service = await startService();
    const { source, printed } = programIn(page);
    const file = project.compile(
      "program",
      source.replaceAll("http://127.0.0.1:8080", service.client.url.origin).replaceAll("ask_...", service.client.key),
    );
    const child = Bun.spawn([runtime, file], { env: process.env, stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([stderr, stdout.trim().split("\n")]).toEqual(["", printed]);
    expect(await child.exited).toBe(0);
    expect(printed.length).toBeGreaterThan(0);
  });
});

test("the types refuse what the API would", () => {
  const wrong = [
    'store.pets.create({ name: "Rex" });',
    'store.pets.list({ status: "lost" });',
    "(await store.categories.get(7)).id + 1;",
    'store.webhooks.verify("{}", {}, "whsec_");',
    "(await store.pets.create({} as never).withResponse()).status === 200;",
    'store.pets.delete(1, { idempotencyKey: "a" });',
    '(await store.inventory.get().withResponse()).headers.get("Location").length;',
  ];
  const start = 'import { AnimalStore } from "animal-store/client"; const store = new AnimalStore({} as never);';
  let report = "";
  try {
    project.compile("wrong", [start, ...wrong].join("\n"));
  } catch (error) {
    report = String(error);
  }
  const lines = new Set([...report.matchAll(/^.*wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  expect([...lines]).toEqual(wrong.map((_, index) => index + 2));
});
