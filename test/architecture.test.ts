import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { errorCodes, errorKinds } from "../src/operations/errors.ts";
import { operations } from "../src/operations/index.ts";
import { projectFolder } from "./support/program.ts";
import { testLimitMs } from "./support/time-limit.ts";

/** The modules and files that each module may import besides itself. A file belongs to the first module whose path is a prefix of its own. */
const modules: Readonly<Record<string, readonly string[]>> = {
  "src/main.ts": inSrc("cli"),
  "src/cli/": [
    ...inSrc("config.ts http openapi reference feed access validation pages operations webhooks sealing log store"),
    ...inSrc("metrics tracing domain base"),
    ...["packages/client/src/", "package.json", "dist/"],
  ],
  "src/config.ts": inSrc("base"),
  "src/http/": inSrc(
    "wire feed access validation pages operations sealing log store/store.ts metrics tracing domain base",
  ),
  "src/wire/": inSrc("base"),
  "src/feed/": inSrc("operations store/store.ts metrics domain base"),
  "src/access/": inSrc("store/store.ts domain base"),
  "src/validation/": inSrc("operations base"),
  "src/pages/": inSrc("operations base"),
  // This code runs in the browser, so it imports nothing that needs the server.
  "src/reference/browser/": [],
  "src/reference/": ["packages/client/src/methods.ts", "src/base/"],
  "src/openapi/": inSrc("operations domain base"),
  "src/operations/": inSrc("store/store.ts domain base"),
  "src/webhooks/": inSrc("sealing store/store.ts metrics domain base"),
  "src/sealing/": inSrc("domain"),
  "src/log/": inSrc("domain base"),
  "src/store/": inSrc("metrics domain base"),
  "src/domain/": inSrc("base"),
  "src/metrics/": inSrc("base"),
  "src/tracing/": inSrc("base"),
  "src/base/": [],
  // Users install the client without the service.
  "packages/client/src/": [],
  // Shared components know neither the session nor the queries.
  "src/console/parts/": ["packages/client/src/", ...inSrc("domain base")],
  // This code runs in the browser, so it imports nothing that needs the server.
  "src/console/": ["packages/client/src/", ...inSrc("domain base"), "openapi.json"],
};

function inSrc(names: string): string[] {
  return names.split(" ").map((name) => (name.endsWith(".ts") ? `src/${name}` : `src/${name}/`));
}

const sources = new Map(
  [...new Bun.Glob("{src,packages}/**/*.{ts,tsx}").scanSync(projectFolder)]
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("/dist/"))
    .map((file) => [file, readFileSync(join(projectFolder, file), "utf8")]),
);

const readImports = (file: string) =>
  pathsIn(sources.get(file) ?? "").map((specifier) => normalize(join(dirname(file), specifier)));

const textOf = (file: string) => readFileSync(join(projectFolder, file), "utf8");

const testFiles = [...new Bun.Glob("{src,packages,test}/**/*.ts").scanSync(projectFolder)].filter(
  (file) => file.startsWith("test/") || file.endsWith(".test.ts"),
);

const filesOutside = (...prefixes: string[]) =>
  [...sources].filter(([file]) => !prefixes.some((prefix) => file.startsWith(prefix)));

test("every file belongs to a module", () => {
  expect(sources.size).toBeGreaterThan(40);
  for (const file of sources.keys()) expect(moduleOf(file)).toBeDefined();
});

test.each([
  'import { a } from "./a.ts";',
  'import "./a.ts";',
  'import {\n  a,\n  b,\n} from "./a.ts";',
  'export * from "./a.ts";',
  'import type { A } from "./a.ts";',
  'const { a } = await import("./a.ts");',
  'const a = await import(\n  "./a.ts"\n);',
  "const a = await import(`./a.ts`);",
  'let a: import("./a.ts").A;',
  'new Worker(new URL("./a.ts", import.meta.url).href);',
  'require("./a.ts");',
  'import.meta.resolve("./a.ts");',
  'readFileSync(join(import.meta.dirname, "./a.ts"));',
])("the search for imports finds the import in %j", (text) => {
  expect(pathsIn(text)).toEqual(["./a.ts"]);
});

test("the search for imports ignores paths in comments", () => {
  expect(pathsIn('/** Not "./a.ts". */\n  // import("./a.ts")\nconst url = "https://a.test";')).toEqual([]);
});

test("the search for imports finds workers and dynamic imports in real files", () => {
  expect(readImports("src/store/sqlite/writer/writer.ts")).toContain("src/store/sqlite/writer/writer-worker.ts");
  expect(readImports("src/store/open-store.ts")).toContain("src/store/postgres/postgres-store.ts");
});

test("every file imports only modules that its own module may import", () => {
  const violations = [...sources.keys()].flatMap((file) => {
    const module = moduleOf(file) ?? "";
    const allowed = [module, ...(modules[module] ?? [])];
    return readImports(file)
      .filter((imported) => !allowed.some((prefix) => imported.startsWith(prefix)))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(violations).toEqual([]);
});

test("no file outside the store imports the internals of an adapter", () => {
  const internalImports = filesOutside("src/store/").flatMap(([file]) =>
    readImports(file).filter((imported) => /^src\/store\/(sqlite|postgres)\//.test(imported)),
  );
  expect(internalImports).toEqual([]);
});

test("there is no import cycle", () => {
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error(`An import cycle: ${[...path, file].join(" -> ")}`);
    if (finished.has(file)) return;
    for (const imported of readImports(file)) visit(imported, [...path, file]);
    finished.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  expect(finished.size).toBeGreaterThanOrEqual(sources.size);
});

test.each([
  ["src/http/request/", "src/http/response/"],
  ["src/http/response/", "src/http/lists/"],
])("%s does not import %s", (below, above) => {
  const files = [...sources.keys()].filter((file) => file.startsWith(below));
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readImports(file).some((imported) => imported.startsWith(above)))).toEqual([]);
});

const findOffenders = (files: [string, string][], pattern: RegExp) =>
  files.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`));

test("there is no SQL outside the store", () => {
  const sqlPattern = /\b(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA)\b/g;
  expect(findOffenders([...sources], sqlPattern).length).toBeGreaterThan(10);
  // file-lock.ts uses SQLite to lock files that are not databases.
  expect(findOffenders(filesOutside("src/store/", "src/base/file-lock.ts"), sqlPattern)).toEqual([]);
});

test("only modules that deal with HTTP contain status codes", () => {
  const errorStatuses = Object.values(errorKinds).map(({ status }) => status);
  const statusPattern = new RegExp(`(?<![\\w.-])(200|201|204|304|${errorStatuses.join("|")})(?![\\w])`, "g");
  const code = (files: [string, string][]): [string, string][] =>
    files.map(([file, text]) => [file, withoutProse(text)]);
  expect(findOffenders(code([...sources]), statusPattern).length).toBeGreaterThan(10);
  const folders = [
    "src/operations/",
    "src/http/",
    "src/wire/",
    "src/webhooks/",
    "src/tracing/",
    "packages/client/src/",
  ];
  expect(findOffenders(code(filesOutside(...folders)), statusPattern)).toEqual([]);
});

test("only the configuration reads environment variables", () => {
  expect(findOffenders([...sources], /process\.env/g)).toEqual(["src/config.ts: process.env"]);
});

test("only the listed folders and files use Bun's own API", () => {
  const bunPattern = /\bBun\.\w+|"bun(:\w+)?"/g;
  expect(findOffenders([...sources], bunPattern).length).toBeGreaterThan(5);
  const folders = ["src/wire/", "src/http/", "src/store/", "src/cli/terminal/", "src/log/", "src/access/"];
  const files = ["base/file-lock.ts", "domain/key-secret.ts", "cli/version.ts", "webhooks/resolve-name.ts"];
  const outside = filesOutside(...folders, ...files.map((file) => `src/${file}`));
  expect(findOffenders(outside, bunPattern)).toEqual([]);
});

test("no SQL for PostgreSQL depends on the session, which a connection pooler does not preserve", () => {
  const sessionPattern =
    /\bLISTEN\b|\bWITH HOLD\b|\bTEMP(ORARY)? TABLE\b|["`;] *SET (?!LOCAL\b|TRANSACTION\b)\w+|\bpg_(try_)?advisory_lock\b/g;
  const forbidden = [
    '"LISTEN news"',
    '"DECLARE a CURSOR WITH HOLD FOR SELECT 1"',
    '"SET search_path TO x"',
    '"BEGIN; SET a = 1"',
    '"SELECT pg_advisory_lock(1)"',
  ];
  for (const text of forbidden) expect(findOffenders([["", text]], sessionPattern)).toHaveLength(1);
  const statements = [...sources].filter(([file]) => file.startsWith("src/store/postgres/"));
  expect(statements.length).toBeGreaterThan(10);
  expect(findOffenders(statements, sessionPattern)).toEqual([]);
});

test("every defined operation is in the list of operations", () => {
  const texts = [...sources].filter(([file]) => file.startsWith("src/operations/")).map(([, text]) => text);
  const defined = texts.flatMap((text) => [...text.matchAll(/ = operation\(\{\s+(?:\.\.\..+\s+)?(?:id: "(\w+)")?/g)]);
  const ids = defined.map(([, id]) => id);
  expect(ids.sort()).toEqual(operations.map(({ id }) => id).sort());
});

test("no handler of a GET is async, because an async handler costs a promise even on the synchronous store", () => {
  const reads = operations.filter(({ method }) => method === "GET");
  expect(reads.filter(({ handle }) => handle.constructor.name === "AsyncFunction").map(({ id }) => id)).toEqual([]);
});

test("the API guide explains every error code", () => {
  const guide = readFileSync(join(projectFolder, "docs/api.md"), "utf8");
  for (const code of errorCodes) {
    const { status, meaning } = errorKinds[code];
    expect(guide).toContain(`| ${status} | \`${code}\` | ${meaning} |`);
  }
});

test("no test measures durations, which depend on the machine", () => {
  const measuringFiles = testFiles.filter((file) => /performance\.now|Bun\.nanoseconds|hrtime/.test(textOf(file)));
  expect(measuringFiles.sort()).toEqual([
    // These files report durations, pass a clock to the service, or detect an idle machine; this file contains the pattern. The fuzzer
    // checks durations only on request.
    "test/architecture.test.ts",
    "test/fuzz/fuzzer.ts",
    "test/program/patroni.test.ts",
    "test/suite/concurrency.ts",
    "test/suite/run-jobs.ts",
    "test/support/load.ts",
    "test/support/service.ts",
  ]);
});

test("no test has a shorter time limit than the default", () => {
  const limits = testFiles.flatMap((file) =>
    [...textOf(file).matchAll(/^ *\}, ([\d_]+)\);$|^ +([\d_]{5,}),?$/gm)].map(([, own, last]) => {
      return [file, Number((own ?? last ?? "").replaceAll("_", ""))] as const;
    }),
  );
  expect(limits.filter(([, limit]) => limit < testLimitMs)).toEqual([]);
  expect(limits.length).toBeGreaterThan(0);
});

test("every browser test is skipped if no browser is installed", () => {
  const files = [...new Bun.Glob("test/browser/*.test.ts").scanSync(projectFolder)];
  expect(files.length).toBeGreaterThan(3);
  const plain = files.filter((file) => /import \{[^}]*\btest\b[^}]*\} from "bun:test"/.test(textOf(file)));
  expect(plain).toEqual([]);
});

test("tests send their requests only through helpers that check the responses against the OpenAPI document", () => {
  const fetchingFiles = testFiles.filter((file) => /[^.\w]fetch\(/.test(textOf(file)));
  const allowed = ["browser", "client", "patroni", "proxy"].map((name) => `test/support/${name}.ts`);
  expect(fetchingFiles.sort()).toEqual(allowed);
});

/** Returns every relative path in the code: imported modules and types, workers, and files to read. */
function pathsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(/(["'`])(\.\.?\/[^"'`\n]+)\1/g)].map(([, , path = ""]) => path);
}

function moduleOf(file: string): string | undefined {
  return Object.keys(modules).find((module) => file.startsWith(module));
}

/** Removes comments, string literals, and numbers with a unit. */
function withoutProse(text: string): string {
  return text
    .replace(/\b\w+(?:Milliseconds|Ms) = \d+/g, "")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\/\/.*/g, "")
    .replace(/`[^`]*`|"[^"\n]*"/g, '""');
}
