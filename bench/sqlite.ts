import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, createCase, type Goals, growthCases, readCases, readsBesideCreates } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import { medianOf, type NextRequest, percentile, requestBytes } from "./load.ts";
import { type Measurement, measure, median } from "./measure.ts";
import { type Plan, showProgress } from "./plan.ts";
import { waitUntil } from "./process.ts";
import { formatNumber, type Section } from "./report.ts";
import { slowDiskEnvironment } from "./slow-disk.ts";
import { key, startControl, startElysia, startNginx, startService, type Target } from "./targets.ts";

export async function runSqlite(folder: string, plan: Plan): Promise<Section[]> {
  const catalogue = await makeCatalogueIn(folder, plan);
  return [
    await measureReadsBesideControls(folder, catalogue, plan),
    await measureCreates(folder, plan, "Creates", {}),
    await measureCreatesOnSlowDisk(folder, plan),
    await measureReadsDuringCreates(folder, catalogue, plan),
    await measureTraces(folder, catalogue, plan),
    await measureGrowth(folder, plan),
  ];
}

async function makeCatalogueIn(folder: string, { animals }: Plan): Promise<string> {
  const path = join(folder, "catalogue.db");
  showProgress(`Making a catalogue of ${animals} animals`);
  await makeCatalogue({ kind: "sqlite", path }, animals);
  return path;
}

async function measureReadsBesideControls(folder: string, catalogue: string, plan: Plan): Promise<Section> {
  const database = copyDatabase(catalogue, join(folder, "reads.db"));
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  const log = join(folder, "service.log");
  await using service = await startService(`sqlite:${database}`, { log });
  await using nginx = await startNginx(files);
  await using bare = await startControl("bytes", files);
  await using queryControl = await startControl("sqlite-query", database);
  await using elysia = await startElysia("bare", database);
  await using elysiaLikeOurs = await startElysia("like-ours", database, { log });
  const rows: (string | number)[][] = [];
  for (const one of readCases(plan.animals)) {
    showProgress(`Reads: ${one.title}`);
    writeFileSync(join(files, one.name), await fetchSample(service, one));
    const controlRequest = { bytes: requestBytes("GET", `/${one.name}`, key), kind: "control", status: 200 };
    const workloads: [Target | undefined, NextRequest | undefined][] = [
      [service, one.next],
      [nginx, () => controlRequest],
      [bare, () => controlRequest],
      [queryControl, one.sameQuery],
      [elysia, one.elysia],
      [elysiaLikeOurs, one.elysia],
    ];
    const measured = workloads.flatMap(([target, next]): Workload[] => (target && next ? [[target, one, next]] : []));
    const results = await measureAll(plan, measured);
    const costs = workloads.map(
      ([target]) => results[measured.findIndex(([other]) => other === target)]?.cpu ?? Number.NaN,
    );
    const [ours] = results as [Measurement];
    const [, , sameBytes = 0, sameQuery = 0, elysiaCost = 0] = costs;
    rows.push([
      one.title,
      ...costs.map((cost) => (Number.isNaN(cost) ? "" : cost)),
      describeGoals(one.goals, ours.cpu / sameBytes, ours.cpu / sameQuery, elysiaCost / ours.cpu),
      ours.perSecond,
      ours.p50,
      ours.p99,
      service.memory(),
    ]);
  }
  return {
    title: `Reads of ${plan.animals.toLocaleString("en")} animals, beside controls`,
    columns: [
      ...["case", "us", "nginx us", "same bytes us", "same query us", "Elysia us", "Elysia like ours us"],
      ...["reached (goal)", "per s", "p50 ms", "p99 ms", "MB"],
    ],
    rows,
    notes: nginx ? [] : ["nginx is not installed here, so its column is empty."],
  };
}

function describeGoals(goals: Goals = {}, sameBytes: number, sameQuery: number, elysia: number): string {
  const parts: string[] = [];
  if (goals.sameBytes) parts.push(`${formatNumber(sameBytes)} x same bytes (${goals.sameBytes})`);
  if (goals.sameQuery) parts.push(`${formatNumber(sameQuery)} x same query (${goals.sameQuery})`);
  if (goals.elysia) parts.push(`Elysia ${formatNumber(elysia)} x ours (${goals.elysia})`);
  return parts.join(", ");
}

async function measureCreates(
  folder: string,
  plan: Plan,
  title: string,
  environment: Record<string, string>,
): Promise<Section> {
  const isSlow = Object.keys(environment).length > 0;
  await using service = await startService(`sqlite:${join(folder, `creates-${isSlow}.db`)}`, {
    environment,
    log: join(folder, "service.log"),
  });
  const controlPath = join(folder, `single-${isSlow}.db`);
  const elysiaPath = join(folder, `elysia-${isSlow}.db`);
  for (const path of [controlPath, elysiaPath]) await makeCatalogue({ kind: "sqlite", path }, 0);
  await using insertControl = await startControl("sqlite-create", controlPath, environment);
  await using elysia = await startElysia("bare", elysiaPath, { environment });
  showProgress(title);
  const workloads = [service, insertControl, elysia].map((target): Workload => [target, createCase, createCase.next]);
  const results = (await measureAll(
    {
      ...plan,
      rounds: Math.ceil(plan.rounds / 2),
      roundMs: plan.roundMs * 2,
      // Warms up with fewer requests, because each write waits for the disk.
      warmUpRequests: plan.warmUpRequests / 10,
    },
    workloads,
  )) as [Measurement, Measurement, Measurement];
  const [ours, ...controls] = results;
  const memory = [service, insertControl, elysia].map((target) => target.memory());
  return {
    title,
    columns: ["64 connections", "per s", "ours / its", "p50 ms", "p99 ms", "us", "MB"],
    rows: ["the service", "one transaction each", "Elysia, one transaction each"].map((name, index) => {
      const { perSecond, p50, p99, cpu } = [ours, ...controls][index] as Measurement;
      return [name, perSecond, index === 0 ? "" : ours.perSecond / perSecond, p50, p99, cpu, memory[index] ?? 0];
    }),
  };
}

async function measureCreatesOnSlowDisk(folder: string, plan: Plan): Promise<Section> {
  const title = "Creates, with 2 ms added to every flush of the disk";
  const environment = slowDiskEnvironment(folder, 2);
  if (typeof environment === "string") return { title, columns: ["skipped"], rows: [[environment]] };
  return await measureCreates(folder, plan, title, environment);
}

async function measureReadsDuringCreates(folder: string, catalogue: string, plan: Plan): Promise<Section> {
  const rows: (string | number)[][] = [];
  const slow = slowDiskEnvironment(folder, 2);
  for (const [title, environment] of [
    ["as it is", {}],
    ["2 ms added to every flush", slow],
  ] as const) {
    if (typeof environment === "string") {
      rows.push([title, `skipped: ${environment}`, "", "", ""]);
      continue;
    }
    const database = copyDatabase(catalogue, join(folder, "beside.db"));
    await using service = await startService(`sqlite:${database}`, { environment, log: join(folder, "service.log") });
    const one = readsBesideCreates(plan.animals);
    showProgress(`Reads beside creates, ${title}`);
    const reads: Measurement[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      reads.push(await measure(service, one, one.next, { milliseconds: plan.roundMs }, "read"));
    }
    const { perSecond, p50, p99 } = median(reads);
    rows.push([title, perSecond, p50, p99, service.memory()]);
  }
  return {
    title: "Reads at random cursors while 64 connections create",
    columns: ["disk", "reads per s", "p50 ms", "p99 ms", "MB"],
    rows,
  };
}

export async function runTraces(folder: string, plan: Plan): Promise<Section[]> {
  return [await measureTraces(folder, await makeCatalogueIn(folder, plan), plan)];
}

/** Runs two services for each sampling ratio, because even identical services may differ by more than the cost of tracing 1 %. */
async function measureTraces(folder: string, catalogue: string, plan: Plan): Promise<Section> {
  await using collector = startCollector();
  const traces = (share: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: share,
  });
  await using services = new AsyncDisposableStack();
  const start = async (name: string, environment: Record<string, string>) =>
    services.use(
      await startService(`sqlite:${copyDatabase(catalogue, join(folder, `${name}.db`))}`, {
        environment,
        log: join(folder, "service.log"),
      }),
    );
  const started = [
    await start("off", {}),
    await start("some", traces("0.01")),
    await start("all", traces("1")),
    await start("off-again", {}),
    await start("some-again", traces("0.01")),
    await start("all-again", traces("1")),
  ];
  const rows: (string | number)[][] = [];
  for (const one of readCases(plan.animals).filter(({ elysia }) => elysia)) {
    showProgress(`Traces: ${one.title}`);
    const rounds = await measureRounds(
      plan,
      started.map((service): Workload => [service, one, one.next]),
    );
    const costs = rounds.map((all) => all.map(({ cpu }) => cpu));
    const [off = [], some = [], all = [], offAgain = [], someAgain = [], allAgain = []] = costs;
    const without = [...off, ...offAgain];
    rows.push([
      one.title,
      percentile(without, 0.5),
      formatSpread(offAgain, off),
      percentile([...some, ...someAgain], 0.5),
      formatSpread([...some, ...someAgain], without),
      percentile([...all, ...allAgain], 0.5),
      formatSpread([...all, ...allAgain], without),
    ]);
  }
  return {
    title: "Traces for OpenTelemetry: us per request",
    columns: ["case", "off", "off again / off", "1 %", "1 % / off", "all", "all / off"],
    rows,
    notes: [
      "Ratios are those of each round: the median, and in brackets the quartiles.",
      `The collector was sent ${collector.requests()} batches.`,
    ],
  };
}

/** Formats the ratios of costs to controls in each round: the median, and the quartiles in brackets. */
function formatSpread(costs: readonly number[], controls: readonly number[]): string {
  const ratios = costs.map((cost, round) => cost / (controls[round] ?? Number.NaN));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => percentile(ratios, part).toFixed(2));
  return `${middle} (${low} to ${high})`;
}

function startCollector() {
  let requests = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.arrayBuffer();
      requests++;
      return Response.json({});
    },
  });
  return { url: server.url.origin, requests: () => requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function measureGrowth(folder: string, plan: Plan): Promise<Section> {
  const databases: string[] = [];
  for (const size of plan.catalogueSizes) {
    showProgress(`Making a catalogue of ${size} animals`);
    const path = join(folder, `growth-${size}.db`);
    await makeCatalogue({ kind: "sqlite", path }, size);
    databases.push(path);
  }
  const services = await Promise.all(
    databases.map((path) => startService(`sqlite:${path}`, { log: join(folder, "service.log") })),
  );
  const rows: (string | number)[][] = [];
  const all = plan.catalogueSizes.map(growthCases);
  for (const [index, { title }] of (all[0] ?? []).entries()) {
    showProgress(`Growth: ${title}`);
    const workloads = services.map((service, size): Workload => {
      const one = all[size]?.[index] as Case;
      return [service, one, one.next];
    });
    const costs = (await measureAll(plan, workloads)).map(({ cpu }) => cpu);
    rows.push([title, ...costs, (costs.at(-1) ?? 0) / (costs[0] ?? 1)]);
  }
  const starts: number[] = [];
  for (const [index, path] of databases.entries()) {
    await services[index]?.[Symbol.asyncDispose]();
    showProgress("Cold starts");
    starts.push(await measureColdStart(path));
  }
  rows.push(["start to first response, ms", ...starts, (starts.at(-1) ?? 0) / (starts[0] ?? 1)]);
  return {
    title: "The same at any size: us per request",
    columns: ["case", ...plan.catalogueSizes.map((size) => size.toLocaleString("en")), "last / first"],
    rows,
  };
}

/** Returns the median time in milliseconds from the start of the process to the first response to a request with a key. */
async function measureColdStart(path: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    await using service = await startService(`sqlite:${path}`);
    await waitUntil("the first response", async () => {
      const response = await fetch(new URL("/v1/pets", service.url), { headers: { authorization: `Bearer ${key}` } });
      return response.status === 200;
    });
    times.push(performance.now() - start);
  }
  return medianOf(times);
}

export type Workload = [target: Target, { connections: number }, next: NextRequest];

/** Measures all workloads in alternating rounds, so that other load on the machine affects all targets alike. Returns the medians. */
export async function measureAll(plan: Plan, workloads: readonly Workload[]): Promise<Measurement[]> {
  return (await measureRounds(plan, workloads)).map(median);
}

export async function measureRounds(plan: Plan, workloads: readonly Workload[]): Promise<Measurement[][]> {
  const results = workloads.map((): Measurement[] => []);
  for (const [target, one, next] of workloads) await measure(target, one, next, { requests: plan.warmUpRequests });
  for (let round = 0; round < plan.rounds; round++) {
    for (const [index, [target, one, next]] of workloads.entries()) {
      results[index]?.push(await measure(target, one, next, { milliseconds: plan.roundMs }));
    }
  }
  return results;
}

async function fetchSample({ url }: Target, { samplePath = "/" }: Case): Promise<string> {
  const response = await fetch(new URL(samplePath, url), { headers: { authorization: `Bearer ${key}` } });
  return await response.text();
}

function copyDatabase(from: string, to: string): string {
  for (const end of ["", "-wal", "-shm"]) rmSync(to + end, { force: true });
  copyFileSync(from, to);
  return to;
}
