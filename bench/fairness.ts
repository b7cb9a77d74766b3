import { join } from "node:path";
import { makeCatalogue } from "./catalogue.ts";
import { load, medianOf, percentile, requestBytes } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import { readFirstLine } from "./process.ts";
import type { Section } from "./report.ts";
import { key, startService, type Target } from "./targets.ts";

const keyedRequest = { bytes: requestBytes("GET", "/v1/pets", key), kind: "keyed", status: 200 };
const probeRequest = { bytes: requestBytes("GET", "/healthz", null), kind: "probe", status: 200 };
/** The measured clients. A health probe opens a new connection for each request. */
const clients = [
  { title: "a list with a key, 16 connections", connections: 16, isProbe: false },
  { title: "a list with a key, 1 connection", connections: 1, isProbe: false },
  { title: "`/healthz`, a connection each", connections: 1, isProbe: true },
];

/** Measures the latencies of clients with a key and of health probes, alone and while another client floods the service without a key. */
export async function runFairness(folder: string, plan: Plan): Promise<Section[]> {
  const path = join(folder, "fairness.db");
  await makeCatalogue({ kind: "sqlite", path }, 1_000);
  await using service = await startService(`sqlite:${path}`, { log: join(folder, "service.log") });
  await load(service.url, 1, { requests: plan.warmUpRequests }, () => keyedRequest);
  const aloneRounds = clients.map((): Figures[] => []);
  const floodedRounds = clients.map((): Figures[] => []);
  let maxMegabytes = 0;
  for (let round = 0; round < plan.rounds; round++) {
    showProgress(`Fairness: round ${round + 1}`);
    for (const [index, client] of clients.entries())
      aloneRounds[index]?.push(await measureClient(service, client, plan));
    await using _flood = await startFlood(service, plan);
    await Bun.sleep(plan.roundMs);
    for (const [index, client] of clients.entries())
      floodedRounds[index]?.push(await measureClient(service, client, plan));
    maxMegabytes = Math.max(maxMegabytes, service.memory());
  }
  const median = (rounds: readonly Figures[] = [], figure: keyof Figures) => medianOf(rounds.map((one) => one[figure]));
  const { floodConnections, floodPipelineDepth } = plan;
  return [
    {
      title: `Beside a flood of ${floodConnections} connections, each with ${floodPipelineDepth} pipelined requests without a key`,
      columns: ["client", "alone p50 ms", "p99 ms", "flooded p50 ms", "p99 ms", "p50, flooded / alone"],
      rows: clients.map(({ title }, index) => {
        const [alone, flooded] = [aloneRounds[index], floodedRounds[index]];
        const medians = [median(alone, "p50"), median(flooded, "p50")] as const;
        return [title, medians[0], median(alone, "p99"), medians[1], median(flooded, "p99"), medians[1] / medians[0]];
      }),
      notes: [`The service held at most ${maxMegabytes.toFixed(0)} MB.`],
    },
  ];
}

interface Figures {
  readonly p50: number;
  readonly p99: number;
}

async function measureClient({ url }: Target, { connections, isProbe }: (typeof clients)[number], plan: Plan) {
  const latencies: number[] = [];
  const end = performance.now() + plan.roundMs;
  const limit = isProbe ? { requests: 1 } : { milliseconds: plan.roundMs };
  while (performance.now() < end) {
    const result = await load(url, connections, limit, () => (isProbe ? probeRequest : keyedRequest));
    latencies.push(...Object.values(result.latencies).flat());
  }
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

async function startFlood({ url }: Target, { floodConnections, floodPipelineDepth }: Plan): Promise<AsyncDisposable> {
  const script = join(import.meta.dir, "flood.ts");
  const flood = Bun.spawn(
    // The flood has low priority, because it represents a client on another machine, which would not slow down the measured clients.
    ["nice", "-n", "19", process.execPath, script, url.href, String(floodConnections), String(floodPipelineDepth)],
    { stdout: "pipe", stderr: "inherit" },
  );
  await readFirstLine(flood.stdout);
  return {
    async [Symbol.asyncDispose]() {
      flood.kill("SIGTERM");
      await flood.exited;
    },
  };
}
