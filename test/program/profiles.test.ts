import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnimalStore } from "../../packages/client/src/index.ts";
import { addKey } from "../support/keys.ts";
import { leavePartialFile } from "../support/partial-file.ts";
import { failure, runProgram, spawnOnTerminal } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { startSilentServer } from "../support/silent-server.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const it = testWith(makeHome);

const service = await startService({}, "sqlite");
const url = service.client.url.origin;
const readKey = (await addKey(service.store, { name: "reader" })).key;
afterAll(async () => await service[Symbol.asyncDispose]());

function makeHome() {
  const folder = temporaryFolder();
  const run = (args: readonly string[], { stdin, ...environment }: Record<string, string> = {}) =>
    runProgram(args, { environment: { HOME: folder.path, ...environment }, ...(stdin !== undefined && { stdin }) });
  const profileFile = (name: string) => join(folder.path, ".config/animal-store/profiles", `${name}.json`);
  return { path: folder.path, run, profileFile, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

it("login reads a key from standard input, checks the key, and saves the key in a file that only its owner can read", async (home) => {
  const { stdout, stderr, exitCode } = await home.run(["login", "--url", `${url}/v1/`], { stdin: `${readKey}\n` });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 0 });
  expect(stderr).toBe(
    `Logged in to ${url} with the key "reader", scope read. Saved as profile default in ${home.profileFile("default")}.\n`,
  );
  expect(JSON.parse(readFileSync(home.profileFile("default"), "utf8"))).toEqual({ url, key: readKey });
  expect(statSync(home.profileFile("default")).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(home.profileFile("default"))).mode & 0o777).toBe(0o700);
  expect(JSON.parse((await home.run(["keys", "current"])).stdout)).toMatchObject({ name: "reader" });
});

it("login and logout remove the files of a killed login", async (home) => {
  const folder = dirname(home.profileFile("default"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await leavePartialFile(home.profileFile("default"));
  await home.run(["login", "--url", url], { stdin: readKey });
  expect(readdirSync(folder)).toEqual(["default.json"]);
  await leavePartialFile(home.profileFile("default"));
  await home.run(["logout"]);
  expect(readdirSync(folder)).toEqual([]);
});

it("login on a terminal prompts for the key, and does not echo the typed key", async (home) => {
  const login = spawnOnTerminal(["login", "--url", url], { environment: { HOME: home.path } });
  await until(() => login.shown().includes("API key"));
  login.type(`x\x7f${readKey}\r`);
  const { shown, exitCode } = await login.ended();
  expect(exitCode).toBe(0);
  expect(shown).toStartWith(`API key for ${url}: \n`);
  expect(shown).not.toContain(readKey);
  expect(shown).toContain('with the key "reader"');
  expect(JSON.parse(readFileSync(home.profileFile("default"), "utf8")).key).toBe(readKey);
});

test.each([
  ["Ctrl-C", "ask_\x03"],
  ["Ctrl-D", "\x04"],
])("%s ends login with exit code 130, and saves nothing", async (_, typed) => {
  using home = makeHome();
  const login = spawnOnTerminal(["login", "--url", url], { environment: { HOME: home.path } });
  await until(() => login.shown().includes("API key"));
  login.type(typed);
  expect(await login.ended()).toEqual({ shown: `API key for ${url}: \n`, exitCode: 130 });
  expect(existsSync(join(home.path, ".config"))).toBe(false);
});

it("Ctrl-C ends login with exit code 130 while the key is checked", async (home) => {
  using silent = startSilentServer();
  const login = spawnOnTerminal(["login", "--url", silent.origin], { environment: { HOME: home.path } });
  await until(() => login.shown().includes("API key"));
  login.type(`${readKey}\r`);
  await silent.requested;
  login.type("\x03");
  expect((await login.ended()).exitCode).toBe(130);
  expect(existsSync(join(home.path, ".config"))).toBe(false);
});

test.each([
  ["wrong", 1, /^animal-store: The API key is not valid\. .*\(request [0-9a-f-]+\)\n$/],
  ["", 2, /^animal-store: No key was given\. [^\n]+\n$/],
  ["a key with spaces", 2, /^animal-store: That is not an API key: [^\n]+\n$/],
])("login refuses the key %j, and saves nothing", async (stdin, exitCode, line) => {
  using home = makeHome();
  const result = await home.run(["login", "--url", url], { stdin });
  expect(result).toMatchObject({ stdout: "", exitCode });
  expect(result.stderr).toMatch(line);
  expect(existsSync(join(home.path, ".config"))).toBe(false);
});

it("a login that cannot be saved fails with a one-line error", async (home) => {
  writeFileSync(join(home.path, ".config"), "");
  const { stderr, exitCode } = await home.run(["login", "--url", url], { stdin: readKey });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^animal-store: \/\S+default\.json cannot be (written|read): [^\n]+\n$/);
});

it("concurrent logins are all saved", async (home) => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const login = (name: string) => home.run(["login", "--profile", name, "--url", url], { stdin: readKey });
  await Promise.all(names.map(login));
  const { stdout } = await home.run(["profiles"]);
  expect(Array.from(stdout.trim().split("\n"), (line) => JSON.parse(line).name)).toEqual(names);
  expect(readdirSync(dirname(home.profileFile("a")))).toHaveLength(names.length);
});

it("a second login replaces the key, and needs no URL", async (home) => {
  await home.run(["login", "--url", url], { stdin: readKey });
  const again = await home.run(["login"], { stdin: service.client.key });
  expect(again.stderr).toContain(`Logged in to ${url} with the key "environment"`);
});

test.each(["line\nbreak-of-a-key-0123", "späces and the like"])(
  "a profile with the key %p is refused with exit code 2",
  async (key) => {
    using home = makeHome();
    const withGivenUrl = await home.run(["pets", "list", "--url", url], { ANIMAL_STORE_API_KEY: key });
    expect(withGivenUrl).toEqual(
      failure("ANIMAL_STORE_API_KEY must be an API key, without spaces, line breaks or other invalid characters."),
    );
    await home.run(["login", "--url", url], { stdin: readKey });
    writeFileSync(home.profileFile("default"), JSON.stringify({ url, key }));
    expect(await home.run(["pets", "list"])).toEqual(
      failure(`${home.profileFile("default")} is not a profile. Remove it, and log in again.`),
    );
  },
);

it("a profile that other users can read is not used", async (home) => {
  await home.run(["login", "--url", url], { stdin: readKey });
  chmodSync(home.profileFile("default"), 0o640);
  const exitCodes = { pets: 2, profiles: 4 };
  for (const [name, exitCode] of Object.entries(exitCodes)) {
    expect(await home.run(name === "pets" ? ["pets", "list"] : [name])).toEqual({
      stdout: "",
      stderr: `animal-store: ${home.profileFile("default")} contains a key, and other users can read it. Run chmod 600 ${home.profileFile("default")}, and rotate the key if another user may have read it.\n`,
      exitCode,
    });
  }
});

test.each(["", "{", "null", "[]", '{"url":1}'])("a profile file with %j is not accepted", async (content) => {
  using home = makeHome();
  mkdirSync(dirname(home.profileFile("default")), { recursive: true });
  writeFileSync(home.profileFile("default"), content, { mode: 0o600 });
  expect(await home.run(["pets", "list"])).toEqual(
    failure(`${home.profileFile("default")} is not a profile. Remove it, and log in again.`),
  );
});

it("a broken profile does not hide the other profiles", async (home) => {
  for (const name of ["a", "c"]) await home.run(["login", "--profile", name, "--url", url], { stdin: readKey });
  writeFileSync(home.profileFile("b"), "{", { mode: 0o600 });
  const problem = `animal-store: ${home.profileFile("b")} is not a profile. Remove it, and log in again.\n`;
  expect(await home.run(["profiles"])).toEqual({
    stdout: `{"name":"a","url":"${url}"}\n{"name":"c","url":"${url}"}\n`,
    stderr: problem,
    exitCode: 4,
  });
  expect((await home.run(["keys", "current", "--url", url])).exitCode).toBe(0);
  // The command reports the broken profile, because that profile may have been saved for this URL.
  expect(await home.run(["keys", "current", "--url", "http://127.0.0.1:1"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(problem),
  });
});

it("profiles are saved below XDG_CONFIG_HOME, and deleted by logout", async (home) => {
  const XDG_CONFIG_HOME = join(home.path, "elsewhere");
  await home.run(["login", "--profile", "shop", "--url", url], { stdin: readKey, XDG_CONFIG_HOME });
  const profileFile = join(XDG_CONFIG_HOME, "animal-store/profiles/shop.json");
  expect(existsSync(profileFile)).toBe(true);
  const forgotten = await home.run(["logout", "--profile", "shop"], { XDG_CONFIG_HOME });
  expect(forgotten).toEqual({ stdout: "", stderr: "Deleted the profile shop. Its key is still valid.\n", exitCode: 0 });
  expect(existsSync(profileFile)).toBe(false);
  expect(await home.run(["logout", "--profile", "shop"], { XDG_CONFIG_HOME })).toMatchObject({ exitCode: 2 });
});

test.each(["../x", "a/b", "", ".hidden", "x".repeat(65)])("a profile cannot be called %j", async (name) => {
  using home = makeHome();
  const { stderr, exitCode } = await home.run(["login", `--profile=${name}`, "--url", url], { stdin: readKey });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^animal-store: --profile must be 1 to 64 letters[^\n]+\n$/);
});

it("keys commands use the service of the saved profile, unless a database is given", async (home) => {
  const { key } = await addKey(service.store, { name: "owner", scope: "admin" });
  const path = await makeSqliteStore(join(home.path, "animals.db"));
  await runProgram(["keys", "create", "--name", "of the database", "--database", `sqlite:${path}`]);
  const names = async (args: string[], environment: Record<string, string> = {}) => {
    const { stdout, stderr } = await home.run(["keys", "list", ...args], environment);
    const keys = stdout.split("\n").filter(Boolean);
    return stderr || keys.map((line) => JSON.parse(line).name);
  };
  const databaseKeys = ["of the database"];
  const serviceKeys = (await Array.fromAsync(new AnimalStore({ baseUrl: url, apiKey: key }).keys.list())).map(
    ({ name }) => name,
  );
  expect(await names([])).toContain("data/animal-store.db does not exist");
  await home.run(["login", "--url", url], { stdin: key });
  await home.run(["login", "--profile", "reader", "--url", url], { stdin: readKey });
  expect(await names([])).toEqual(serviceKeys);
  expect(await names([], { ANIMAL_STORE_URL: url })).toEqual(serviceKeys);
  expect(await names(["--database", `sqlite:${path}`])).toEqual(databaseKeys);
  expect(await names([], { DATABASE_URL: `sqlite:${path}` })).toEqual(databaseKeys);
  expect(await names([], { DATABASE_URL: `sqlite:${path}`, ANIMAL_STORE_PROFILE: "reader" })).toEqual(databaseKeys);
  expect(await names(["--profile", "default"], { DATABASE_URL: `sqlite:${path}` })).toEqual(serviceKeys);
  const createResult = await home.run(["keys", "create", "--name", "till"]);
  expect((await service.client.call("/v1/pets", { key: createResult.stdout.trim() })).status).toBe(200);
});

describe("the service and the key", () => {
  const current = async (
    home: ReturnType<typeof makeHome>,
    args: string[],
    environment: Record<string, string> = {},
  ) => {
    const { stdout, stderr } = await home.run(["keys", "current", ...args], environment);
    return stdout ? JSON.parse(stdout).name : stderr;
  };

  it("the URL and the key come from flags, then a named profile, then the environment, then the default profile", async (home) => {
    await using other = await startService({}, "sqlite");
    const { key: otherKey } = await addKey(other.store, { name: "other" });
    await home.run(["login", "--url", url], { stdin: readKey });
    await home.run(["login", "--profile", "other", "--url", other.client.url.href], { stdin: otherKey });
    const environment = { ANIMAL_STORE_URL: url, ANIMAL_STORE_API_KEY: service.client.key };

    expect(await current(home, [])).toBe("reader");
    expect(await current(home, [], { ANIMAL_STORE_PROFILE: "other" })).toBe("other");
    expect(await current(home, [], environment)).toBe("environment");
    expect(await current(home, ["--profile", "other"], environment)).toBe("other");
    expect(await current(home, ["--key", readKey], environment)).toBe("reader");
    expect(await current(home, ["--profile", "other", "--url", url, "--key", readKey])).toBe("reader");
    // A URL alone selects the profile that was saved for that URL.
    expect(await current(home, ["--url", other.client.url.href])).toBe("other");
    expect(await current(home, ["--profile", "nobody"])).toBe(
      "animal-store: There is no profile nobody. Run animal-store profiles to list them, or animal-store login --profile nobody to create it.\n",
    );
  });

  it("the key of a profile is sent only to the URL of that profile", async (home) => {
    const seen: (string | null)[] = [];
    using stranger = Bun.serve({
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get("Authorization"));
        return new Response(null, { status: 404 });
      },
    });
    await home.run(["login", "--url", url], { stdin: readKey });
    for (const args of [[], ["--profile", "default"]]) {
      expect(await home.run(["pets", "list", "--url", stranger.url.origin, ...args])).toMatchObject({
        stderr: `animal-store: There is no key for ${stranger.url.origin}. Run animal-store login --url ${stranger.url.origin}, or set ANIMAL_STORE_API_KEY or --key.\n`,
        exitCode: 2,
      });
    }
    expect(await current(home, [], { ANIMAL_STORE_URL: stranger.url.origin })).toContain("There is no key");
    expect(seen).toEqual([]);
  });

  test.each(["ftp://x", "127.0.0.1:8080", "http://me:secret@host", "http://host/?a=1"])(
    "%s is not accepted as the URL of a service",
    async (wrong) => {
      using home = makeHome();
      const { stderr, exitCode } = await home.run(["pets", "list", "--url", wrong]);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^animal-store: --url must be an http or https URL, such as [^\n]+\n$/);
      expect(stderr).not.toContain("secret");
    },
  );
});
