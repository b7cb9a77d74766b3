import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { errorCodes } from "../src/domain/errors.ts";
import { errorKinds } from "../src/operations/errors.ts";
import { operations } from "../src/operations/index.ts";
import { projectFolder } from "./support/program.ts";

/** What each room may import, besides itself. The longest prefix of a file's path is its room. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "src/main.ts": ["src/cli/"],
  "src/cli/": [
    "src/config.ts",
    "src/http/",
    "src/openapi/",
    "src/operations/",
    "src/store/",
    "src/domain/",
    "package.json",
  ],
  "src/config.ts": ["src/domain/"],
  "src/http/": ["src/operations/", "src/store/store.ts", "src/domain/"],
  "src/openapi/": ["src/operations/", "src/domain/"],
  "src/operations/": ["src/store/store.ts", "src/domain/"],
  "src/store/": ["src/domain/"],
  "src/domain/": [],
  // Outside: it sees the interface as every client does, and shares its words.
  "src/console/": ["src/domain/", "openapi.json"],
  "src/reference/": [],
};

const sources = new Map(
  [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(projectFolder)]
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => [file, readFileSync(join(projectFolder, file), "utf8")]),
);

const importsOf = (file: string) =>
  [...(sources.get(file) ?? "").matchAll(/^(?:import|export)\b[^"]*?"(\.[^"]+)"/gm)].map(([, specifier = ""]) =>
    normalize(join(dirname(file), specifier)),
  );

const filesOutside = (...places: string[]) =>
  [...sources].filter(([file]) => !places.some((place) => file.startsWith(place)));

describe("the house", () => {
  test("has a room for every file", () => {
    expect(sources.size).toBeGreaterThan(40);
    for (const file of sources.keys()) expect(roomOf(file)).toBeDefined();
  });

  test("has no import that runs upwards", () => {
    const upward = [...sources.keys()].flatMap((file) => {
      const room = roomOf(file) ?? "";
      const allowed = [room, ...(rooms[room] ?? [])];
      return importsOf(file)
        .filter((imported) => !allowed.some((place) => imported.startsWith(place)))
        .map((imported) => `${file} imports ${imported}`);
    });
    expect(upward).toEqual([]);
  });

  test("has no circle of imports", () => {
    const finished = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) throw new Error(`A circle: ${[...path, file].join(" -> ")}`);
      if (finished.has(file)) return;
      for (const imported of importsOf(file)) visit(imported, [...path, file]);
      finished.add(file);
    };
    for (const file of sources.keys()) visit(file, []);
    expect(finished.size).toBeGreaterThanOrEqual(sources.size);
  });
});

describe("what must stay absent", () => {
  const offenders = (files: [string, string][], pattern: RegExp) =>
    files.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`));

  test("SQL outside the store", () => {
    const sql = /\b(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA)\b/g;
    expect(offenders([...sources], sql).length).toBeGreaterThan(10);
    expect(offenders(filesOutside("src/store/"), sql)).toEqual([]);
  });

  test("a status code outside the operations and HTTP", () => {
    const statuses = new RegExp(
      `(?<![\\w.-])(200|201|204|304|${Object.values(errorKinds)
        .map(({ status }) => status)
        .join("|")})(?![\\w])`,
      "g",
    );
    const code = (files: [string, string][]): [string, string][] =>
      files.map(([file, text]) => [file, withoutProse(text)]);
    expect(offenders(code([...sources]), statuses).length).toBeGreaterThan(10);
    expect(offenders(code(filesOutside("src/operations/", "src/http/")), statuses)).toEqual([]);
  });

  test("the environment outside the configuration", () => {
    expect(offenders([...sources], /process\.env/g)).toEqual(["src/config.ts: process.env"]);
  });

  test("the runtime's own names outside HTTP and the store", () => {
    const own = /\bBun\.\w+|"bun(:\w+)?"/g;
    expect(offenders([...sources], own).length).toBeGreaterThan(5);
    expect(offenders(filesOutside("src/http/", "src/store/"), own)).toEqual([]);
  });

  test("an operation that is not in the list", () => {
    const files = [...sources.keys()].filter((file) => /^src\/operations\/\w+\/(?!schemas)/.test(file));
    const ids = files.map((file) => /operation\(\{\s+id: "(\w+)"/.exec(sources.get(file) ?? "")?.[1]);
    expect(ids.sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  test("an error code that the API guide does not explain", () => {
    const guide = readFileSync(join(projectFolder, "docs/api.md"), "utf8");
    for (const code of errorCodes) {
      const { status, meaning } = errorKinds[code];
      expect(guide).toContain(`| ${status} | \`${code}\` | ${meaning} |`);
    }
  });

  test("a response in a test that is not held against the document", () => {
    const tests = [...new Bun.Glob("{src,test}/**/*.ts").scanSync(projectFolder)];
    const fetching = tests.filter((file) => /[^.\w]fetch\(/.test(readFileSync(join(projectFolder, file), "utf8")));
    const inTests = fetching.filter((file) => file.startsWith("test/") || file.endsWith(".test.ts"));
    expect(inTests.sort()).toEqual(["test/support/client.ts", "test/support/proxy.ts"]);
  });
});

function roomOf(file: string): string | undefined {
  return Object.keys(rooms).find((room) => file.startsWith(room));
}

/** Leaves the numbers that the program computes with, and drops those that it talks about. */
function withoutProse(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\/\/.*/g, "")
    .replace(/`[^`]*`|"[^"\n]*"/g, '""');
}
