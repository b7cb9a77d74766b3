import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { begin, end, renderCliReference } from "../scripts/cli-reference.ts";
import { parseJson } from "../src/base/json.ts";
import { formatFirstKeyNotice, formatReadyNotice } from "../src/cli/serve/welcome.ts";
import { petTransitions } from "../src/domain/pet.ts";
import { operations } from "../src/operations/index.ts";
import { pathParameter } from "../src/operations/operation.ts";
import { curlSkipReason, testUnless } from "./support/conditional-test.ts";
import { parseExamples } from "./support/examples.ts";
import { addKey } from "./support/keys.ts";
import { programKey, projectFolder, RunningProgram, runCommand, runProgram } from "./support/program.ts";
import { Receiver } from "./support/receiver.ts";
import { startService, type TestService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary.ts";
import { until } from "./support/wait.ts";
import { webhookOptions } from "./support/webhooks.ts";

const read = (file: string) => readFileSync(join(projectFolder, file), "utf8");

const hostedJobs = (
  Bun.YAML.parse(read(".github/workflows/ci.yml")) as {
    jobs: {
      test: { steps: { run?: string }[]; strategy: { matrix: { include: { name: string; node: string }[] } } };
      client: { steps: { with?: { "node-version"?: string } }[] };
    };
  }
).jobs;
const hostedMachines = hostedJobs.test.strategy.matrix.include;

describe("the API guide", () => {
  let service: TestService;
  let receiver: Receiver;
  let readKey = "";
  beforeAll(async () => {
    const now = Date.parse("2026-11-15T10:00:00Z");
    receiver = await Receiver.start();
    service = await startService({ clock: () => now, webhooks: webhookOptions });
    readKey = (await addKey(service.store, { name: "reader", createdAt: now })).key;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const shownReceiver = "https://hooks.shop.example/animals";

  const examples = parseExamples(read("docs/api.md"));

  test.each(operations)("the API guide shows a successful call of $id", (operation) => {
    const pathPattern = new RegExp(`^/v1${operation.path.replace(pathParameter, "[^/]+")}$`);
    const shown = examples.filter(
      ({ method, target, response }) =>
        method === operation.method && pathPattern.test(target.replace(/\?.*/, "")) && (response?.status ?? 0) < 300,
    );
    expect(shown.length).toBeGreaterThan(0);
  });

  test.each(examples)("the API guide shows the real response to $method $target", async (example) => {
    const { method, target, headers, body, response } = example;
    const sent = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace("<API_KEY>", service.client.key).replace("<READ_KEY>", readKey),
    ]);
    // Deliveries run in the background, so the test waits until they are recorded.
    if (target.endsWith("/deliveries"))
      await until(async () => (await service.store.webhooks.listDeliveries(1, 9)).length > 1);
    const received = await service.client.call(target, {
      method,
      key: null,
      headers: Object.fromEntries(sent),
      body: body?.replaceAll(shownReceiver, receiver.url),
    });
    expect(received.status).toBe(response?.status ?? 0);
    for (const [name, value] of Object.entries(response?.headers ?? {}))
      expect(`${name}: ${received.headers.get(name)}`).toBe(`${name}: ${value}`);
    const shown = received.text
      .replace(/ask_\w{36}/g, "ask_...")
      .replace(/evt_\w{32}/g, "evt_...")
      .replace(/whsec_[\w+/=]{44}/g, "whsec_...")
      .replaceAll(receiver.url, shownReceiver)
      .replace(/"request":"[0-9a-f-]{36}"/g, '"request":"..."');
    const isLines = received.headers.get("content-type") === "application/x-ndjson";
    const contentOf = (text: string) => (isLines ? text.trim().split("\n").map(parseJson) : parseJson(text));
    expect(shown ? contentOf(shown) : undefined).toEqual(response?.body ? contentOf(response.body) : undefined);
  });
});

test("the API guide lists the allowed transitions of an animal's status", () => {
  const rows = Object.entries(petTransitions).map(
    ([from, to]) => `| \`${from}\` | ${to.map((status) => `\`${status}\``).join(" or ")} |\n`,
  );
  expect(read("docs/api.md")).toContain(`| From | To |\n|---|---|\n${rows.join("")}\n`);
});

const readme = read("README.md");

testUnless(curlSkipReason(), "the README shows the real responses to its requests", async () => {
  await using service = await startService();
  const commands = [...readme.matchAll(/```sh\n([^`]*curl[^`]*)```\s+```json\n(.*)\n```/g)];
  expect(commands).toHaveLength(2);
  for (const [, command = "", response] of commands) {
    const script = command.replaceAll("http://127.0.0.1:8080/", service.client.url.href).replace(/^export.*/m, "");
    const child = Bun.spawn(["sh", "-c", script], {
      env: { ...process.env, KEY: service.client.key },
      stderr: "ignore",
    });
    expect(await child.stdout.text()).toBe(response as string);
  }
});

test("the README shows the output of the first start", () => {
  const url = new URL("http://127.0.0.1:8080");
  expect(readme).toContain(
    `\`\`\`\n${formatReadyNotice(url, true)}\n${formatFirstKeyNotice("ask_...", url, true)}\`\`\`\n`,
  );
});

testUnless(
  curlSkipReason(),
  "the requests in the README and in the output of the first start can be repeated and changed",
  async () => {
    await using service = await startService();
    const [, printed = ""] = /(curl .* -d .*)/.exec(formatFirstKeyNotice("$KEY", service.client.url, true)) ?? [];
    const [, shown = ""] = /```sh\nexport.*\n([^`]*curl[^`]*)```/.exec(readme) ?? [];
    const commands = [
      printed.replace(/'(Authorization[^']*)'/, '"$1"'),
      shown.replaceAll("http://127.0.0.1:8080/", service.client.url.href),
    ];
    const names = commands.flatMap((command) => [command, command, command.replace("Rex", "Mia")]);
    const added: { id: number; name: string }[] = [];
    for (const command of names) {
      const shell = Bun.$`sh -c ${command}`.env({ ...process.env, KEY: service.client.key });
      added.push(await shell.quiet().json());
    }
    expect(added.map(({ id, name }) => `${id} ${name}`).join()).toBe("1 Rex,2 Rex,3 Mia,4 Rex,5 Rex,6 Mia");
  },
);

test("each command line in the README works", async () => {
  using folder = temporaryFolder();
  const database = join(folder.path, "animals.db");
  await using program = await RunningProgram.start(database);
  const [, block = ""] = /```sh\n([^`]*\.\/animal-store pets[^`]*)```/.exec(readme) ?? [];
  const lines = block.trim().split("\n");
  expect(lines).toHaveLength(9);
  symlinkSync(join(projectFolder, "animal-store"), join(folder.path, "animal-store"));
  const printed: string[] = [];
  for (const line of lines) {
    const command = ["sh", "-c", line.replace("http://127.0.0.1:8080", program.client.url.origin)];
    const env = { PATH: process.env["PATH"], HOME: folder.path, KEY: programKey, DATABASE_URL: `sqlite:${database}` };
    const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder.path, env });
    expect({ line, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ line, exitCode: 0, stderr: "" });
    printed.push(stdout);
  }
  expect(printed[2]).toBe('{"id":1,"name":"Bella","categoryId":7,"status":"available"}\n');
  expect(JSON.parse(printed[5] ?? "")).toMatchObject({ type: "order.placed", subject: "orders/1" });
  expect(existsSync(join(folder.path, "backup.db"))).toBe(true);
});

test("the two npm commands in the README are package scripts that the continuous integration runs", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const [command, script] of [
    ["npm ci && npm start", "start"],
    ["npm ci && npm test", "test"],
  ] as const) {
    expect(readme).toContain(`\`\`\`sh\n${command}\n\`\`\``);
    expect(scripts).toHaveProperty(script);
  }
  expect(read(".ci/run").trim().split("\n").at(-1)).toBe("npm ci && npm test");
  const runs = hostedJobs.test.steps.flatMap(({ run }) => run ?? []);
  expect(runs.filter((run) => !run.startsWith("sudo apt-get "))).toEqual(["npm ci && npm test"]);
  expect(hostedMachines.map(({ name }) => name)).toEqual(["Linux x64", "Linux ARM", "macOS"]);
});

test("the README, the guides and package.json state the oldest versions of Node that the continuous integration tests", () => {
  const oldest = hostedMachines.map(({ node }) => node).toSorted(Bun.semver.order)[0] ?? "";
  const [clientVersion = ""] = hostedJobs.client.steps.flatMap((step) => step.with?.["node-version"] ?? []);
  const { engines, devEngines } = JSON.parse(read("package.json"));
  expect(devEngines.runtime).toEqual({ name: "node", version: `>=${oldest}`, onFail: "warn" });
  expect(engines.node).toBe(`>=${clientVersion}`);
  const stated = ["README.md", "docs/installing.md", "docs/client.md"].flatMap((page) =>
    [...read(page).matchAll(/\bNode ([0-9.]*[0-9])(?=, npm| or later)/g)].map(([, version]) => version),
  );
  expect(stated).toEqual([oldest, oldest, clientVersion, clientVersion]);
});

test("no page has an npm command that would download the unpublished package animal-store", () => {
  const folder = join(projectFolder, "docs");
  const pages = [...new Bun.Glob("**/*.md").scanSync(folder)].map((file) => join("docs", file));
  for (const page of [...pages, "README.md", "CONTRIBUTING.md", "SECURITY.md"]) {
    const commands = read(page).match(
      /\b(npx|bunx|npm\s+(exec|install|i|add))\s+((--?\w[\w-]*)\s+)*animal-store\b(?![\w/.-])/g,
    );
    expect({ page, commands }).toEqual({ page, commands: null });
  }
});

test("the operators' guide lists every setting with its default", async () => {
  const guide = read("docs/running.md");
  const { stdout } = await runProgram(["serve", "--help"]);
  const settings = [...stdout.matchAll(/^ {2}(?:--([\w-]+) [A-Z]+, )?([A-Z_]+) .*?(?:Default: (\S+))?$/gm)];
  expect(settings).toHaveLength(stdout.match(/^ {2}\S/gm)?.length ?? 0);
  for (const [, flag, environment, preset] of settings) {
    const row = guide.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${environment}\``)) ?? "";
    if (flag) expect(row).toContain(`| \`--${flag}\` |`);
    expect(row.replaceAll("`", "")).toContain(`| ${preset ?? "none"} |`);
  }
});

test("the command line guide contains the generated table of commands", async () => {
  const [, rest = ""] = read("docs/cli.md").split(begin);
  const [table = ""] = rest.split(end);
  expect(table.trim()).toBe((await renderCliReference()).trim());
});

test("the guides show every screenshot of the console in light and dark, and each is below 150 kB", () => {
  const files = [...new Bun.Glob("docs/images/*").scanSync(projectFolder)];
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(`${file} ${statSync(join(projectFolder, file)).size < 150_000}`).toBe(`${file} true`);
  const shown = ["README.md", "docs/console.md"].flatMap((page) =>
    [
      ...read(page).matchAll(
        /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(.*)">\s*<img src="(.*?)"/g,
      ),
    ].flatMap(([, dark = "", light = ""]) => {
      expect(dark).toBe(light.replace("-light", "-dark"));
      return [join(dirname(page), dark), join(dirname(page), light)];
    }),
  );
  expect([...new Set(shown)].sort()).toEqual(files.sort());
});

const pages = ["*.md", "docs/**/*.md", "bench/*.md"].flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync(projectFolder),
]);

test("every table row in the guides is on its own line and has as many cells as the first row of its table", () => {
  let rowCount = 0;
  for (const page of pages) {
    let cells: number | undefined;
    for (const line of read(page)
      .replace(/^ *```.*?^ *```$/gms, "")
      .split("\n")) {
      const isRow = line.startsWith("|");
      expect(`${page}: ${line} ${isRow || !line.endsWith("|")}`).toBe(`${page}: ${line} true`);
      const found = line.replace(/\\\||`[^`]*`/g, "").split("|").length - 2;
      cells = isRow ? (cells ?? found) : undefined;
      if (!isRow) continue;
      rowCount++;
      expect(`${page}: ${line} ${found}`).toBe(`${page}: ${line} ${cells}`);
    }
  }
  expect(rowCount).toBeGreaterThan(100);
});

test("every link between pages leads to an existing file and heading", () => {
  expect(pages.length).toBeGreaterThan(8);
  let linkCount = 0;
  for (const page of pages) {
    for (const [, target = "", anchor] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
      linkCount++;
      const file = target ? join(dirname(page), target) : page;
      expect(`${page}: ${target} ${existsSync(join(projectFolder, file))}`).toBe(`${page}: ${target} true`);
      const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
        text.toLowerCase().replaceAll(" ", "-"),
      );
      if (anchor) expect(headings).toContain(anchor);
    }
  }
  expect(linkCount).toBeGreaterThan(20);
});
