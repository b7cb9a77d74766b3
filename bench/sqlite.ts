import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, createsCase, type Goals, listGrowthCases, listReadCases, readsBesideCreatesCase } from "./cases.ts";
import { makeCatalogue } from "./catalogue.ts";
import { medianOf, type NextRequest, percentile, requestBytes } from "./load.ts";
import { type Measurement, measure, medianMeasurement } from "./measure.ts";
import { type Plan, showProgress } from "./plan.ts";
import { waitUntil } from "./process.ts";
import { formatNumber, type Section } from "./report.ts";
import { createSlowDiskEnvironment } from "./slow-disk.ts";
import { key, startControl, startElysia, startNginx, startService, type Target } from "./targets.ts";

export async function runSqlite(folder: string, plan: Plan): Promise<Section[]> {
  const cataloguePath = await makeCatalogueIn(folder, plan);
  return [
    await measureReadsBesideControls(folder, cataloguePath, plan),
    await measureCreates(folder, plan, "Creates", {}),
    await measureCreatesOnSlowDisk(folder, plan),
    await measureReadsDuringCreates(folder, cataloguePath, plan),
    await measureTraces(folder, cataloguePath, plan),
    await measureGrowth(folder, plan),
  ];
}

async function makeCatalogueIn(folder: string, { animals }: Plan): Promise<string> {
  const path = join(folder, "catalogue.db");
  showProgress(`Making a catalogue of ${animals} animals`);
  await makeCatalogue({ kind: "sqlite", path }, animals);
  return path;
}

async function measureReadsBesideControls(folder: string, cataloguePath: string, plan: Plan): Promise<Section> {
  const database = copyDatabase(cataloguePath, join(folder, "reads.db"));
  const filesFolder = join(folder, "files");
  mkdirSync(filesFolder, { recursive: true });
  const log = join(folder, "service.log");
  await using service = await startService(`sqlite:${database}`, { log });
  await using nginx = await startNginx(filesFolder);
  await using bytesControl = await startControl("bytes", filesFolder);
  await using queryControl = await startControl("sqlite-query", database);
  await using elysia = await startElysia("bare", database);
  await using elysiaLikeOurs = await startElysia("like-ours", database, { log });
  const rows: (string | number)[][] = [];
  for (const benchCase of listReadCases(plan.animals)) {
    showProgress(`Reads: ${benchCase.title}`);
    writeFileSync(join(filesFolder, benchCase.name), await fetchSample(service, benchCase));
    const controlRequest = { bytes: requestBytes("GET", `/${benchCase.name}`, key), kind: "control", status: 200 };
    const workloads: [Target | undefined, NextRequest | undefined][] = [
      [service, benchCase.next],
      [nginx, () => controlRequest],
      [bytesControl, () => controlRequest],
      [queryControl, benchCase.sameQuery],
      [elysia, benchCase.elysia],
      [elysiaLikeOurs, benchCase.elysia],
    ];
    const availableWorkloads = workloads.flatMap(([target, next]): Workload[] =>
      target && next ? [[target, benchCase, next]] : [],
    );
    const results = await measureAll(plan, availableWorkloads);
    const costs = workloads.map(
      ([target]) => results[availableWorkloads.findIndex(([other]) => other === target)]?.cpu ?? Number.NaN,
    );
    const [ours] = results as [Measurement];
    const [, , sameBytes = 0, sameQuery = 0, elysiaCost = 0] = costs;
    rows.push([
      benchCase.title,
      ...costs.map((cost) => (Number.isNaN(cost) ? "" : cost)),
      describeGoals(benchCase.goals, ours.cpu / sameBytes, ours.cpu / sameQuery, elysiaCost / ours.cpu),
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
  const workloads = [service, insertControl, elysia].map((target): Workload => [target, createsCase, createsCase.next]);
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
  const environment = createSlowDiskEnvironment(folder, 2);
  if (typeof environment === "string") return { title, columns: ["skipped"], rows: [[environment]] };
  return await measureCreates(folder, plan, title, environment);
}

async function measureReadsDuringCreates(folder: string, cataloguePath: string, plan: Plan): Promise<Section> {
  const rows: (string | number)[][] = [];
  const slowEnvironment = createSlowDiskEnvironment(folder, 2);
  for (const [title, environment] of [
    ["as it is", {}],
    ["2 ms added to every flush", slowEnvironment],
  ] as const) {
    if (typeof environment === "string") {
      rows.push([title, `skipped: ${environment}`, "", "", ""]);
      continue;
    }
    const database = copyDatabase(cataloguePath, join(folder, "beside.db"));
    await using service = await startService(`sqlite:${database}`, { environment, log: join(folder, "service.log") });
    const benchCase = readsBesideCreatesCase(plan.animals);
    showProgress(`Reads beside creates, ${title}`);
    const reads: Measurement[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      reads.push(await measure(service, benchCase, benchCase.next, { milliseconds: plan.roundMs }, "read"));
    }
    const { perSecond, p50, p99 } = medianMeasurement(reads);
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
async function measureTraces(folder: string, cataloguePath: string, plan: Plan): Promise<Section> {
  await using collector = startCollector();
  const tracingEnvironment = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, environment: Record<string, string>) =>
    stack.use(
      await startService(`sqlite:${copyDatabase(cataloguePath, join(folder, `${name}.db`))}`, {
        environment,
        log: join(folder, "service.log"),
      }),
    );
  const services = [
    await start("off", {}),
    await start("some", tracingEnvironment("0.01")),
    await start("all", tracingEnvironment("1")),
    await start("off-again", {}),
    await start("some-again", tracingEnvironment("0.01")),
    await start("all-again", tracingEnvironment("1")),
  ];
  const rows: (string | number)[][] = [];
  for (const benchCase of listReadCases(plan.animals).filter(({ elysia }) => elysia)) {
    showProgress(`Traces: ${benchCase.title}`);
    const rounds = await measureRounds(
      plan,
      services.map((service): Workload => [service, benchCase, benchCase.next]),
    );
    const costs = rounds.map((all) => all.map(({ cpu }) => cpu));
    const [off = [], some = [], all = [], offAgain = [], someAgain = [], allAgain = []] = costs;
    const offCosts = [...off, ...offAgain];
    rows.push([
      benchCase.title,
      percentile(offCosts, 0.5),
      formatSpread(offAgain, off),
      percentile([...some, ...someAgain], 0.5),
      formatSpread([...some, ...someAgain], offCosts),
      percentile([...all, ...allAgain], 0.5),
      formatSpread([...all, ...allAgain], offCosts),
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
  const all = plan.catalogueSizes.map(listGrowthCases);
  for (const [index, { title }] of (all[0] ?? []).entries()) {
    showProgress(`Growth: ${title}`);
    const workloads = services.map((service, size): Workload => {
      const benchCase = all[size]?.[index] as Case;
      return [service, benchCase, benchCase.next];
    });
    const costs = (await measureAll(plan, workloads)).map(({ cpu }) => cpu);
    rows.push([title, ...costs, (costs.at(-1) ?? 0) / (costs[0] ?? 1)]);
  }
  const startTimes: number[] = [];
  for (const [index, path] of databases.entries()) {
    await services[index]?.[Symbol.asyncDispose]();
    showProgress("Cold starts");
    startTimes.push(await measureColdStart(path));
  }
  rows.push(["start to first response, ms", ...startTimes, (startTimes.at(-1) ?? 0) / (startTimes[0] ?? 1)]);
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
  return (await measureRounds(plan, workloads)).map(medianMeasurement);
}

export async function measureRounds(plan: Plan, workloads: readonly Workload[]): Promise<Measurement[][]> {
  const results = workloads.map((): Measurement[] => []);
  for (const [target, benchCase, next] of workloads)
    await measure(target, benchCase, next, { requests: plan.warmUpRequests });
  for (let round = 0; round < plan.rounds; round++) {
    for (const [index, [target, benchCase, next]] of workloads.entries()) {
      results[index]?.push(await measure(target, benchCase, next, { milliseconds: plan.roundMs }));
    }
  }
  return results;
}

async function fetchSample({ url }: Target, { samplePath = "/" }: Case): Promise<string> {
  const response = await fetch(new URL(samplePath, url), { headers: { authorization: `Bearer ${key}` } });
  return await response.text();
}

function copyDatabase(from: string, to: string): string {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(to + suffix, { force: true });
  copyFileSync(from, to);
  return to;
}
