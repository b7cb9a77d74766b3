import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCertificate } from "./certificates.ts";
import { opensslSkipReason, testUnless } from "./conditional-test.ts";
import { runCommand } from "./program.ts";
import { startService, type TestService } from "./service.ts";
import { temporaryFolder } from "./temporary.ts";

/** Files that an attacker may plant in a shared directory such as /tmp. Bun obeys some of these files by default. */
const createFilesByName: Readonly<Record<string, (code: string, url: string) => Readonly<Record<string, string>>>> = {
  "bunfig.toml": (code) => ({ "bunfig.toml": `preload = [${JSON.stringify(code)}]\n` }),
  "tsconfig.json": (code) => ({ "tsconfig.json": renderTsconfig(code) }),
  "jsconfig.json": (code) => ({ "jsconfig.json": renderTsconfig(code) }),
  ".env": (_, url) => ({ ".env": renderDotenv(url) }),
  ".env.local": (_, url) => ({ ".env.local": renderDotenv(url) }),
  "package.json": (code) => ({
    "package.json": JSON.stringify({
      name: "animal-store",
      type: "commonjs",
      browser: { typebox: code },
      overrides: { typebox: `file:${dirname(code)}` },
      scripts: { start: `bun ${code}`, prestart: `bun ${code}` },
    }),
  }),
  node_modules: (code) => ({
    "node_modules/typebox/package.json": '{ "name": "typebox", "main": "index.js" }',
    "node_modules/typebox/index.js": `require(${JSON.stringify(code)});\n`,
    "node_modules/bun/bin/bun.exe": "#!/bin/sh\necho planted code ran >&2; exit 99\n",
    "node_modules/.bin/bun": "#!/bin/sh\necho planted code ran >&2; exit 99\n",
  }),
};

const renderTsconfig = (code: string) => JSON.stringify({ compilerOptions: { paths: { "*": [code] } } });

const renderDotenv = (url: string) =>
  `HTTP_PROXY=${url}\nANIMAL_STORE_URL=${url}\nNODE_TLS_REJECT_UNAUTHORIZED=0\nLOG_LEVEL=planted\n`;

/** Pairs of a hostile file and the directory that contains the file. */
export const hostilePlaces = Object.keys(createFilesByName).flatMap((file) =>
  (["the current directory", "the parent directory"] as const).map((place) => [file, place] as const),
);
type HostilePlace = (typeof hostilePlaces)[number];

/** Writes a file that, if Bun obeys the file, runs code with the exit code 99 and sends requests to a URL. */
export function plant(file: string, folder: string, url = "http://127.0.0.1:9"): void {
  const code = join(folder, "planted-code.js");
  writeFileSync(code, 'console.error("planted code ran");\nprocess.exit(99);\n');
  for (const [name, text] of Object.entries(createFilesByName[file]?.(code, url) ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
}

/** Declares tests which check that hostile files in the current or the parent directory do not affect a command. */
export function testInHostileFolders(program: () => string): void {
  let service: TestService;
  let connectionCount = 0;
  const receiver = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        connectionCount += 1;
        socket.end();
      },
      data() {},
    },
  });
  beforeAll(async () => {
    service = await startService({}, "sqlite");
  });
  afterAll(async () => {
    receiver.stop(true);
    await service[Symbol.asyncDispose]();
  });

  test.each(hostilePlaces)("a planted %s in %s does not affect a command", async (file, place) => {
    using directory = createHostileFolders(
      [file, place],
      `http://127.0.0.1:${receiver.port}`,
      service.client.url.origin,
    );
    expect(await directory.run(program(), "inventory")).toEqual({
      stdout: '{"available":0,"pending":0,"sold":0}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(await directory.run(program(), "__complete", "bash", "invent")).toEqual({
      stdout: "inventory\n",
      stderr: "",
      exitCode: 0,
    });
    expect(connectionCount).toBe(0);
  });

  testUnless(opensslSkipReason(), "a planted .env in the current directory does not disable TLS checks", async () => {
    await using secured = await startService({ certificate: createCertificate("127.0.0.1") }, "sqlite");
    using directory = createHostileFolders([".env", "the current directory"], undefined, secured.client.url.origin);
    const { stdout, stderr, exitCode } = await directory.run(program(), "inventory");
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 3 });
    expect(stderr).toMatch(/certificate/);
  });
}

function createHostileFolders([file, place]: HostilePlace, url: string | undefined, serviceUrl: string) {
  const home = temporaryFolder();
  const parent = temporaryFolder();
  const cwd = join(parent.path, "current");
  mkdirSync(cwd);
  plant(file, place === "the current directory" ? cwd : parent.path, url);
  const profile = join(home.path, ".config/animal-store/profiles/default.json");
  mkdirSync(dirname(profile), { recursive: true });
  writeFileSync(profile, JSON.stringify({ url: serviceUrl, key: "a-key-for-tests-only" }), { mode: 0o600 });
  return {
    run: (...command: string[]) => runCommand(command, { cwd, env: { PATH: process.env["PATH"], HOME: home.path } }),
    [Symbol.dispose]() {
      home[Symbol.dispose]();
      parent[Symbol.dispose]();
    },
  };
}
