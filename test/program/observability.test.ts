import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { testUnless } from "../support/conditional-test.ts";
import { PostgresServer } from "../support/postgres.ts";
import { LineReader, programKey, projectFolder, RunningProgram, runProgram } from "../support/program.ts";
import { parseScrape, type Sample, Scrape } from "../support/prometheus.ts";
import { promtoolSkipReason, runPromtool } from "../support/promtool.ts";
import { RawConnection } from "../support/raw.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { pause, until } from "../support/wait.ts";

const readDoc = (file: string) => readFileSync(join(projectFolder, "docs/observability", file), "utf8");
const rex = { name: "Rex", categoryId: 7 };

test("a metrics port serves the metrics without a key, and the API no longer serves them", async () => {
  const args = ["--metrics-port", "0"];
  await using program = await RunningProgram.startNew({ args });
  const { client, scrape } = await connectToMetrics(program);
  expect((await scrape()).value("animal_store_ready")).toBe(2);
  expect((await client.bytes("/", {})).bytes.toString()).toBe("The metrics are at /metrics.\n");
  for (const target of ["GET /metrics", "POST /metrics", "GET /"]) {
    using connection = new RawConnection(client.url);
    const response = await connection.send(`${target} HTTP/1.1\r\nHost: a\r\n\r\n`).response();
    expect(response?.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response?.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  }
  expect((await program.client.call("/metrics")).status).toBe(404);
  expect(await program.signal("SIGTERM")).toBe(0);
});

test("connections to the metrics port count towards --max-connections, and are closed first when idle", async () => {
  const args = ["--metrics-port", "0", "--max-connections", "20"];
  await using program = await RunningProgram.startNew({ args });
  const { client, log } = await connectToMetrics(program);
  using clerk = new RawConnection(program.client.url);
  await clerk.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").untilResponse();
  using others = new DisposableStack();
  for (let count = 0; count < 60; count++) {
    const other = others.use(new RawConnection(client.url));
    await other.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").untilResponse();
  }
  await log.until(/too many connections are open, and the idle ones were closed/);
  const received = await clerk.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").untilClosed();
  expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

test("serve with an unusable port or host for metrics fails with a one-line error", async () => {
  using folder = temporaryFolder();
  const database = join(folder.path, "animals.db");
  await using program = await RunningProgram.start(database);
  const { port } = program.client.url;
  for (const [flags, line] of [
    [["--metrics-port", port], `--metrics-port ${port} cannot be used on --host 127.0.0.1: it is already in use.`],
    [
      ["--metrics-port", "0", "--metrics-host", "no-such-host.invalid"],
      "--metrics-port 0 cannot be used on --metrics-host no-such-host.invalid: there is no such host.",
    ],
  ] as const) {
    const args = ["serve", "--port", "0", "--database", `sqlite:${database}`, ...flags];
    const { exitCode, stderr } = await runProgram(args);
    expect([exitCode, stderr.trim().split("\n").at(-1)]).toEqual([2, `animal-store: ${line}`]);
  }
});

test("the log shows where the time of slow requests went, and the text of slow statements without values", async () => {
  const args = ["--slow-request", "1", "--slow-statement", "1"];
  await using program = await RunningProgram.startNew({ args });
  const log = new LineReader(program.child.stderr);
  const create = async (name: string) => {
    using connection = new RawConnection(program.client.url);
    const body = JSON.stringify({ name, categoryId: 7 });
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${programKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // Sends the body only after other requests, so that the body takes long to arrive.
    for (let count = 0; count < 20; count++) await program.client.call("/v1/pets");
    connection.send(body);
    expect((await connection.response())?.status).toBe(201);
  };
  let hasBoth = false;
  const creating = (async () => {
    for (let round = 0; !hasBoth; round++) await create(`Secretive${round}`);
  })();
  const lines: Record<string, unknown>[] = [];
  const isSlowCreate = (line: Record<string, unknown>) =>
    line["operation"] === "createPet" && line["level"] === "warn" && line["bodyMilliseconds"] !== undefined;
  const isSlowCommit = (line: Record<string, unknown>) =>
    line["message"] === "a slow statement" && line["statement"] === "createPet";
  while (!lines.some(isSlowCreate) || !lines.some(isSlowCommit)) lines.push(JSON.parse(await log.until(/./)));
  hasBoth = true;
  await creating;
  const slow = lines.find(isSlowCreate) ?? {};
  const [total, body, queue, store] = [
    "milliseconds",
    "bodyMilliseconds",
    "queueMilliseconds",
    "storeMilliseconds",
  ].map((name) => Number(slow[name] ?? 0)) as [number, number, number, number];
  expect(body + queue + store).toBeLessThanOrEqual(total + 0.01);
  expect(store).toBeGreaterThan(0);
  expect(lines.find(isSlowCommit)).toMatchObject({ level: "warn", writes: expect.any(Number) });
  expect(JSON.stringify(lines)).not.toContain("Secretive");
});

test("SIGUSR2 toggles the log level, and the log reports the new level", async () => {
  for (const [level, quieter] of [
    ["info", "info"],
    ["error", "error"],
    ["debug", "info"],
  ] as const) {
    await using program = await RunningProgram.startNew({
      args: ["--log-level", level],
    });
    const log = new LineReader(program.child.stderr);
    const change = async () => {
      program.child.kill("SIGUSR2");
      return JSON.parse((await log.until(/log level/)).trim().split("\n").at(-1) ?? "").logLevel;
    };
    if (level === "debug") expect(await change()).toBe("info");
    expect(await change()).toBe("debug");
    await program.client.call("/healthz");
    expect(JSON.parse(await log.until(/healthz/))).toMatchObject({ level: "debug", path: "/healthz" });
    expect(await change()).toBe(quieter);
    await program.client.call("/healthz");
    expect(await change()).toBe("debug");
  }
});

test("responses have the header Server-Timing only with --server-timing on", async () => {
  using folder = temporaryFolder();
  const args = ["--server-timing", "on"];
  await using program = await RunningProgram.start(join(folder.path, "on.db"), { args });
  const created = await program.client.call("/v1/pets", { body: rex });
  expect(created.headers.get("server-timing")).toMatch(
    /^body;dur=[\d.]+, (queue;dur=[\d.]+, )?store;dur=[\d.]+, total;dur=[\d.]+$/,
  );
  const listed = await program.client.call("/v1/pets");
  expect(listed.headers.get("server-timing")).toMatch(/^store;dur=[\d.]+, total;dur=[\d.]+$/);
  const refused = await program.client.call("/v1/pets", { key: null });
  expect(refused.headers.get("server-timing")).toMatch(/^total;dur=[\d.]+$/);
  await using silent = await RunningProgram.start(join(folder.path, "off.db"));
  expect((await silent.client.call("/v1/pets")).headers.has("server-timing")).toBe(false);
});

describe("the dashboard and the alert rules", () => {
  let served: Scrape;
  const scraped: string[] = [];

  beforeAll(async () => {
    using folder = temporaryFolder();
    const { primary, standby } = await PostgresServer.startPair();
    await using servers = new AsyncDisposableStack();
    for (const server of [primary, standby]) servers.use(server);
    const scrapes: Scrape[] = [];
    for (const [database, flags] of [
      [join(folder.path, "animals.db"), []],
      [primary.url, ["--replica", standby.url]],
    ] as const) {
      const args = ["--metrics-port", "0", "--max-connections", "10", ...flags];
      await using program = await RunningProgram.start(database, { args });
      const { client, scrape } = await connectToMetrics(program);
      await produceMetrics(program, scrape);
      scrapes.push(await scrape());
      const hasStandby = flags.length > 0;
      while (hasStandby && scrapes.at(-1)?.find("animal_store_standby_replay_lag_bytes").length === 0) {
        await pause();
        scrapes.push(await scrape());
      }
      scraped.push((await client.bytes("/metrics", {})).bytes.toString());
    }
    const all = scrapes.flatMap(({ families }) => [...families.values()]);
    const merged = Map.groupBy(all, ({ name }) => name);
    served = new Scrape(
      new Map(
        [...merged].map(([name, [first, ...others]]) => {
          const samples = [first, ...others].flatMap((family) => family?.samples ?? []);
          return [name, { name, help: first?.help ?? "", type: first?.type ?? "", samples: samples.map(addLabels) }];
        }),
      ),
    );
  });

  const rules = (
    Bun.YAML.parse(readDoc("alerts.yaml")) as { groups: { rules: { alert: string; expr: string; labels: object }[] }[] }
  ).groups.flatMap((group) => group.rules);
  const dashboard = JSON.parse(readDoc("dashboard.json")) as Dashboard;
  const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ name: title, expr, legend: legendFormat })),
  );
  const queries = [...rules.map(({ alert, expr }) => ({ name: alert, expr, legend: "" })), ...targets];

  test("the dashboard and the alert rules are not empty, and their ids are unique", () => {
    expect(rules.length).toBeGreaterThan(15);
    expect(targets.length).toBeGreaterThan(30);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(dashboard.schemaVersion).toBe(42);
    expect(dashboard.templating.list.map(({ name, type, query }) => [name, type, query])[0]).toEqual([
      "datasource",
      "datasource",
      "prometheus",
    ]);
    const sources = new Set(dashboard.panels.flatMap(({ datasource }) => datasource?.uid ?? []));
    expect([...sources]).toEqual([`$\{datasource}`]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  test.each(queries)("the dashboard and the alert rules query existing metrics: $name", ({ expr, legend }) => {
    const selectors = [...selectorsIn(expr)];
    expect(selectors.length).toBeGreaterThan(0);
    const labels = new Set(selectors.flatMap((selector) => labelsOf(selector, served)));
    for (const [, list = ""] of expr.matchAll(/\b(?:by|ignoring) \(([^)]*)\)/g)) {
      for (const label of list.split(/, */)) expect([...labels]).toContain(label);
    }
    const keptLabels = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */);
    for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(keptLabels ?? [...labels]).toContain(label);
  });

  test.each(queries)(
    "the dashboard and the alert rules query the rate of counters and the value of gauges: $name",
    ({ expr }) => {
      for (const { name, range, around } of selectorsIn(expr)) {
        if (name === "up") continue;
        const type = familyOf(name, served)?.type;
        const isRate = range !== "" && ["rate", "increase"].includes(around);
        const isGaugeQuery = around === "changes" ? range !== "" : range === "";
        expect([name, type === "gauge" ? isGaugeQuery : isRate]).toEqual([name, true]);
      }
      for (const [call] of expr.matchAll(/histogram_quantile\([^)]*\([^)]*\)/g))
        expect(call).toMatch(/\bby \([^)]*\ble\b/);
    },
  );

  test("the dashboard and the alert rules use every metric, and the guide documents all of them", () => {
    const guide = readDoc("README.md");
    const queried = new Set(
      queries.flatMap(({ expr }) => [...selectorsIn(expr)]).map(({ name }) => familyOf(name, served)?.name),
    );
    for (const { name, type, samples } of served.families.values()) {
      expect([name, queried.has(name)]).toEqual([name, true]);
      const labels = [...new Set(samples.flatMap((sample) => Object.keys(sample.labels)))]
        .filter((label) => !["instance", "job", "le"].includes(label))
        .map((label) => `\`${label}\``);
      expect(guide).toContain(`| \`${name}\` | ${type} | ${labels.join(", ")}${labels.length > 0 ? " " : ""}| `);
    }
    expect(guide.match(/^\| `(?:animal_store|process)_\w+` \|/gm)).toHaveLength(served.families.size);
    for (const { alert } of rules) expect(guide).toContain(`\`${alert}\``);
  });

  testUnless(promtoolSkipReason, "the alert rules and the metrics pass promtool", () => {
    expect(runPromtool(["check", "rules", join(projectFolder, "docs/observability/alerts.yaml")])).toEqual({
      exitCode: 0,
      output: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    });
    expect(scraped).toHaveLength(2);
    for (const text of scraped) expect(runPromtool(["check", "metrics"], text)).toEqual({ exitCode: 0, output: "" });
  });

  const situationsFile = join(import.meta.dir, "alert-rules.yaml");

  test("each alert has a test in which it fires, and a test in which it does not", () => {
    const { tests } = Bun.YAML.parse(readFileSync(situationsFile, "utf8")) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
    };
    const all = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    for (const fires of [true, false]) {
      const names = all.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname);
      expect([...new Set(names)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
    }
  });

  testUnless(promtoolSkipReason, "alerts fire only in the expected situations", () => {
    expect(runPromtool(["test", "rules", situationsFile])).toEqual({
      exitCode: 0,
      output: expect.stringContaining("SUCCESS"),
    });
  });
});

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { name: string; type: string; query: unknown }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

/** Returns a client of the metrics port, whose URL is in the log. */
async function connectToMetrics(program: RunningProgram) {
  const log = new LineReader(program.child.stderr);
  const line = await log.until(/metrics are served/);
  const { url } = JSON.parse(line.trim().split("\n").at(-1) ?? "");
  const client = new Client(new URL(url), "");
  return { client, log, scrape: async () => parseScrape((await client.bytes("/metrics", {})).bytes.toString()) };
}

/** Sends requests that give each queried metric a value. */
async function produceMetrics({ client }: RunningProgram, scrape: () => Promise<Scrape>): Promise<void> {
  await client.call("/v1/pets", { body: rex, headers: { "Idempotency-Key": "once" } });
  for (let times = 0; times < 3; times++) await client.call("/v1/pets");
  await client.call("/v1/pets", { key: null });
  const held = Array.from({ length: 10 }, () => new RawConnection(client.url));
  for (const connection of held) {
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
  }
  await until(async () => (await scrape()).value("animal_store_requests_in_flight") >= held.length);
  using another = new RawConnection(client.url);
  another.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}\r\n\r\n`);
  expect((await another.response())?.status).toBe(503);
  for (const connection of held) connection[Symbol.dispose]();
}

function addLabels(sample: Sample): Sample {
  return { ...sample, labels: { ...sample.labels, instance: "127.0.0.1:9464", job: "animal-store" } };
}

interface Selector {
  readonly name: string;
  readonly matchers: string;
  readonly range: string;
  /** The innermost function around the selector. */
  readonly around: string;
}

function* selectorsIn(expr: string): Iterable<Selector> {
  const pattern = /(?:(\w+)\()?\b((?:animal_store|process)_\w+|up\b(?=\{))(?:\{([^}]*)\})?(?:\[([^\]]*)\])?/g;
  for (const [, around = "", name = "", matchers = "", range = ""] of expr.matchAll(pattern)) {
    yield { name, matchers, range, around };
  }
}

/** Returns the labels of the selected samples. Throws if no samples are selected. */
function labelsOf({ name, matchers }: Selector, served: Scrape): string[] {
  // Prometheus itself provides this metric.
  if (name === "up") return ["instance", "job"];
  const tests = [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"(?:,|$)/g)];
  if (tests.map(([whole]) => whole).join("") !== matchers) throw new Error(`These are no matchers: ${matchers}`);
  const samples = served.find(name).filter(({ labels }) =>
    tests.every(([, label = "", operator = "", value = ""]) => {
      if (labels[label] === undefined) throw new Error(`${name} has no label ${label}.`);
      const pattern = value === "$instance" ? /.*/ : new RegExp(`^(?:${value})$`);
      const isMatch = operator.includes("~") ? pattern.test(labels[label]) : labels[label] === value;
      return operator.startsWith("!") ? !isMatch : isMatch;
    }),
  );
  if (samples.length === 0) throw new Error(`Nothing is found by ${name}{${matchers}}.`);
  return samples.flatMap(({ labels }) => Object.keys(labels));
}

function familyOf(name: string, served: Scrape) {
  return served.families.get(name) ?? served.families.get(name.replace(/_(bucket|sum|count)$/, ""));
}
