import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../test/support/postgres.ts";
import { makeCatalogue } from "./catalogue.ts";
import { medianOf } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import { listProcessTree, readCpu, readCpuOfEndedChildren } from "./process.ts";
import type { Section } from "./report.ts";
import { key, startService, type Target } from "./targets.ts";

/** Measures imports (directly, through a service, and by a minimal control) and exports, in alternating rounds, each on an empty store. */
export async function runImport(folder: string, plan: Plan): Promise<Section[]> {
  const file = join(folder, "animals.ndjson");
  showProgress(`Writing ${plan.importedAnimals} animals`);
  const digest = await writeAnimals(file, plan.importedAnimals);
  await using server = await PostgresServer.start({ max_connections: "100" });
  const sections: Section[] = [];
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    const results = new Map<string, Figures[]>(variants.map(([title]) => [title, []]));
    for (let round = 0; round < Math.min(plan.rounds, maxRounds); round++) {
      const factory = new StoreFactory(engine, folder, `${engine.toLowerCase()}_${round}`, server);
      for (const [title, run] of variants) {
        showProgress(`${engine}: ${title}, round ${round + 1}`);
        results.get(title)?.push(await run(factory, file, digest));
      }
    }
    sections.push({
      title: `${plan.importedAnimals.toLocaleString("en")} animals into and out of ${engine}`,
      columns: [
        ...["", "animals per s", "us each, all", "us command", "us service", "us PostgreSQL"],
        ...["MB command", "MB service", "ms others waited"],
      ],
      rows: [...results].map(([title, rounds]) => {
        const medianEach = (figure: keyof Figures) => medianOf(rounds.map((one) => one[figure])) / plan.importedAnimals;
        const peak = (figure: keyof Figures) => Math.max(...rounds.map((one) => one[figure]));
        const cpuTimes = [medianEach("commandCpu"), medianEach("serviceCpu"), medianEach("databaseCpu")];
        const totalCpu = cpuTimes.reduce((sum, one) => sum + one);
        const peaks = [peak("commandMb"), peak("serviceMb"), peak("maxWaitMs")];
        return [title, 1 / medianEach("seconds"), totalCpu, ...cpuTimes, ...peaks];
      }),
    });
  }
  return sections;
}

const maxRounds = 3;

interface Figures {
  readonly seconds: number;
  readonly commandCpu: number;
  readonly serviceCpu: number;
  readonly databaseCpu: number;
  readonly commandMb: number;
  readonly serviceMb: number;
  /** The service's longest response time for another client during the run. */
  readonly maxWaitMs: number;
}

class StoreFactory {
  #storeCount = 0;

  constructor(
    readonly engine: "SQLite" | "PostgreSQL",
    readonly folder: string,
    readonly name: string,
    readonly server: PostgresServer,
  ) {}

  async make(): Promise<string> {
    const name = `${this.name}_${this.#storeCount++}`;
    if (this.engine === "SQLite") {
      const path = join(this.folder, `${name}.db`);
      await makeCatalogue({ kind: "sqlite", path }, 0);
      return `sqlite:${path}`;
    }
    const { url } = this.server;
    await makeCatalogue({ kind: "postgres", urls: [url], schema: name, replicas: [] }, 0);
    return `${url}?schema=${name}`;
  }

  cpu(): number {
    if (this.engine === "SQLite") return 0;
    return readCpu(listProcessTree(this.server.pid)) + readCpuOfEndedChildren(this.server.pid);
  }
}

type Run = (factory: StoreFactory, file: string, digest: string) => Promise<Figures>;

const variants: readonly (readonly [string, Run])[] = [
  [
    "bare inserts, as a control",
    async (factory, file) => await measure(factory, ["bench/bare-import.ts", await factory.make(), file]),
  ],
  [
    "import, into the database",
    async (factory, file) =>
      await measure(factory, ["src/main.ts", "import", file, "--database", await factory.make()]),
  ],
  [
    "import, through a service",
    async (factory, file) => {
      await using service = await startService(await factory.make());
      return await measure(factory, ["src/main.ts", "import", file, "--url", service.url.href, "--key", key], service);
    },
  ],
  [
    "export, by a service",
    async (factory, file, digest) => {
      const database = await factory.make();
      await measure(factory, ["src/main.ts", "import", file, "--database", database]);
      await using service = await startService(database);
      const out = join(factory.folder, "out.ndjson");
      const figures = await measure(
        factory,
        ["src/main.ts", "export", out, "--url", service.url.href, "--key", key],
        service,
      );
      if ((await hashFile(out)) !== digest) throw new Error("The exported animals are not those that were imported.");
      return figures;
    },
  ],
];

async function measure(factory: StoreFactory, args: readonly string[], service?: Target): Promise<Figures> {
  const cpuBefore = service ? readCpu([service.pid]) : 0;
  const [databaseCpuBefore, startedAt] = [factory.cpu(), performance.now()];
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: join(import.meta.dir, ".."),
    env: { ...process.env, XDG_STATE_HOME: join(factory.folder, "state") },
    stdout: "ignore",
    stderr: "pipe",
  });
  let commandMb = 0;
  const memoryTimer = setInterval(() => {
    commandMb = Math.max(commandMb, readPeakMegabytes(child.pid));
  }, 20);
  const commandEnded = new AbortController();
  const maxWait = service ? measureMaxWait(service.url, commandEnded.signal) : 0;
  const [stderr, exitCode] = await Promise.all([child.stderr.text(), child.exited]).finally(() =>
    clearInterval(memoryTimer),
  );
  commandEnded.abort();
  if (exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  const usage = child.resourceUsage();
  return {
    seconds: (performance.now() - startedAt) / 1000,
    commandCpu: Number(usage?.cpuTime.total ?? 0),
    serviceCpu: service ? readCpu([service.pid]) - cpuBefore : 0,
    databaseCpu: factory.cpu() - databaseCpuBefore,
    commandMb,
    serviceMb: service ? readPeakMegabytes(service.pid) : 0,
    maxWaitMs: await maxWait,
  };
}

async function measureMaxWait(url: URL, end: AbortSignal): Promise<number> {
  let longest = 0;
  while (!end.aborted) {
    const sentAt = performance.now();
    await (await fetch(new URL("/healthz", url))).arrayBuffer();
    longest = Math.max(longest, performance.now() - sentAt);
    await Bun.sleep(5);
  }
  return longest;
}

/** Returns the peak memory of a process on Linux; 0 elsewhere. */
function readPeakMegabytes(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}

/** Writes animals to a file. Returns the digest of the expected export, which also contains the ids that an empty store assigns. */
async function writeAnimals(file: string, count: number): Promise<string> {
  const out = createWriteStream(file);
  const hash = createHash("sha256");
  const statuses = ["available", "pending", "sold"];
  for (let id = 1; id <= count; id++) {
    const fields = `"name":"Animal ${id}","categoryId":${id % 5},"status":"${statuses[id % 3]}"}\n`;
    hash.update(`{"id":${id},${fields}`);
    if (!out.write(`{${fields}`)) await new Promise((resolve) => out.once("drain", resolve));
  }
  await new Promise<void>((resolve) => out.end(resolve));
  return hash.digest("hex");
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
