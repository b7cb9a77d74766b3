import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Html } from "../../src/base/html.ts";
import { createOpenApiDocument } from "../../src/openapi/document.ts";
import { operations } from "../../src/operations/index.ts";
import { listOperations, type ReferenceDocument } from "../../src/reference/document.ts";
import { createSamples } from "../../src/reference/samples.ts";
import { createClientProject } from "../support/client-project.ts";
import { projectFolder, runCommand } from "../support/program.ts";
import { startService } from "../support/service.ts";

/** The documents that contain programs, each with the name of its program file. */
const pages = { "README.md": "readme", "packages/client/README.md": "package", "docs/client.md": "guide" } as const;
const pageNames = Object.keys(pages) as (keyof typeof pages)[];
const importLine = 'import { AnimalStore } from "@animal-store/client";';
const wrongLines = [
  'store.pets.create({ name: "Rex" });',
  'store.pets.list({ status: "lost" });',
  'store.events.list({ type: ["pet.created", "pet.lost"] });',
  "(await store.categories.get(7)).id + 1;",
  'store.webhooks.verify({ type: "pet.created" }, {}, "whsec_");',
  "(await store.pets.create({} as never).withResponse()).status === 200;",
  'store.pets.delete(1, { idempotencyKey: "a" });',
  '(await store.inventory.get().withResponse()).headers.get("Location").length;',
];
const address = { url: "/v1", description: "This server" };
const document = createOpenApiDocument(operations, [address]) as unknown as ReferenceDocument;
const samples = listOperations(document).map((located) => ({
  id: located.operation.operationId,
  samples: createSamples(located, document),
}));

const project = createClientProject();
// The programs are compiled together, because starting the compiler takes most of the time.
const diagnostics = project.compile({
  ...Object.fromEntries(pageNames.map((page) => [`${pages[page]}.ts`, readProgram(page).source])),
  "samples.ts": joinSamples(),
  "wrong.ts": [`${importLine} const store = new AnimalStore({} as never);`, ...wrongLines].join("\n"),
});
afterAll(() => project[Symbol.dispose]());

const diagnosticsOf = (file: string) => diagnostics.filter((diagnostic) => diagnostic.file === file);

/** Returns the programs on a page that use this client, joined to one program, and their documented output. */
function readProgram(page: keyof typeof pages): { source: string; printed: string[] } {
  const [markdown = ""] = readFileSync(join(projectFolder, page), "utf8").split("\n## Other clients\n");
  const source = [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, program]) => program).join("\n");
  const printed = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  if (source.match(/console\.log/g)?.length !== printed.length)
    throw new Error(`A program in ${page} prints something that the page does not show.`);
  return { source, printed };
}

for (const page of pageNames) {
  test.each([
    ["node", "node"],
    ["Bun", process.execPath],
  ])(`the program in ${page} prints the documented output with the installed package, in %s`, async (name, runtime) => {
    expect(diagnosticsOf(`${pages[page]}.ts`)).toEqual([]);
    await using service = await startService();
    const { url, key } = service.client;
    const compiled = readFileSync(join(project.path, `${pages[page]}.js`), "utf8");
    const file = join(project.path, `${pages[page]}-in-${name}.js`);
    writeFileSync(file, compiled.replaceAll("http://127.0.0.1:8080", url.origin).replaceAll("ask_...", key));
    const { stdout, stderr, exitCode } = await runCommand([runtime, file]);
    const { printed } = readProgram(page);
    expect([stderr, stdout.trim().split("\n")]).toEqual(["", printed]);
    expect(exitCode).toBe(0);
    expect(printed.length).toBeGreaterThan(0);
  });
}

test("the types of the client reject requests that the API would refuse", () => {
  const lines = new Set(diagnosticsOf("wrong.ts").map(({ line }) => line));
  expect([...lines]).toEqual(wrongLines.map((_, index) => index + 2));
});

test("the reference has samples for each operation, and the TypeScript samples compile", () => {
  expect(samples.map(({ id }) => id).sort()).toEqual(operations.map(({ id }) => id).sort());
  for (const { id, samples: operationSamples } of samples) {
    expect([id, operationSamples.map(({ language }) => language)]).toEqual([id, ["curl", "client", "fetch"]]);
  }
  expect(diagnosticsOf("samples.ts")).toEqual([]);
});

function joinSamples(): string {
  const programs = samples.flatMap(({ samples: operationSamples }) =>
    operationSamples.filter(({ language }) => language !== "curl").map(({ code }) => textOf(code)),
  );
  const blocks = programs.map((program) => `{\n${program.replace(importLine, "")}\n}\n`);
  return `${importLine}\n${blocks.join("")}`;
}

function textOf({ text }: Html): string {
  return text.replace(/<[^>]+>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
