import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../test/support/postgres.ts";
import { makeCatalogue } from "./catalogue.ts";
import { percentile } from "./load.ts";
import { type Plan, tell } from "./plan.ts";
import { cpuOf, cpuOfEnded, withDescendants } from "./process.ts";
import type { Section } from "./report.ts";
import { key, startService, type Target } from "./targets.ts";

/**
 * Measures imports from a file into new stores, and exports: directly on the database, through a running service, and a minimal
 * control, in alternating rounds, each on its own store. Checks that the exported animals are those that were imported.
 */
export async function runImport(folder: string, plan: Plan): Promise<Section[]> {
  const file = join(folder, "animals.ndjson");
  tell(`Writing ${plan.imports} animals`);
  const digest = await writeAnimals(file, plan.imports);
  await using server = await PostgresServer.start({ max_connections: "100" });
  const sections: Section[] = [];
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    const results = new Map<string, Figures[]>(ways.map(([title]) => [title, []]));
    for (let round = 0; round < Math.min(plan.rounds, maxRounds); round++) {
      const store = new Place(engine, folder, `${engine.toLowerCase()}_${round}`, server);
      for (const [title, run] of ways) {
        tell(`${engine}: ${title}, round ${round + 1}`);
        results.get(title)?.push(await run(store, file, digest));
      }
    }
    sections.push({
      title: `${plan.imports.toLocaleString("en")} animals into and out of ${engine}`,
      columns: [
        "",
        "animals per s",
        "us each, all",
        "us command",
        "us service",
        "us PostgreSQL",
        "MB command",
        "MB service",
        "ms others waited",
      ],
      rows: [...results].map(([title, rounds]) => {
        const middle = (figure: keyof Figures) =>
          percentile(
            rounds.map((one) => one[figure]),
            0.5,
          ) / plan.imports;
        const peak = (figure: keyof Figures) => Math.max(...rounds.map((one) => one[figure]));
        const cpu = [middle("command"), middle("service"), middle("database")];
        const all = cpu.reduce((sum, one) => sum + one);
        const peaks = [peak("commandMb"), peak("serviceMb"), peak("maxWaitMs")];
        return [title, 1 / middle("seconds"), all, ...cpu, ...peaks];
      }),
    });
  }
  return sections;
}

const maxRounds = 3;

interface Figures {
  readonly seconds: number;
  /** Processor time in microseconds. */
  readonly command: number;
  readonly service: number;
  readonly database: number;
  /** Peak memory. */
  readonly commandMb: number;
  readonly serviceMb: number;
  /** Longest response time of the service for another client meanwhile. */
  readonly maxWaitMs: number;
}

/** New stores, and their server. */
class Place {
  readonly folder: string;
  #stores = 0;

  constructor(
    readonly engine: "SQLite" | "PostgreSQL",
    folder: string,
    readonly name: string,
    readonly server: PostgresServer,
  ) {
    this.folder = folder;
  }

  async make(): Promise<string> {
    const name = `${this.name}_${this.#stores++}`;
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
    return cpuOf(withDescendants(this.server.pid)) + cpuOfEnded(this.server.pid);
  }
}

type Run = (place: Place, file: string, digest: string) => Promise<Figures>;

const ways: readonly (readonly [string, Run])[] = [
  [
    "bare inserts, as a control",
    async (place, file) => await timed(place, ["bench/bare-import.ts", await place.make(), file]),
  ],
  [
    "import, into the database",
    async (place, file) => await timed(place, ["src/main.ts", "import", file, "--database", await place.make()]),
  ],
  [
    "import, through a service",
    async (place, file) => {
      await using service = await startService(await place.make());
      return await timed(place, ["src/main.ts", "import", file, "--url", service.url.href, "--key", key], service);
    },
  ],
  [
    "export, by a service",
    async (place, file, digest) => {
      const database = await place.make();
      await timed(place, ["src/main.ts", "import", file, "--database", database]);
      await using service = await startService(database);
      const out = join(place.folder, "out.ndjson");
      const figures = await timed(
        place,
        ["src/main.ts", "export", out, "--url", service.url.href, "--key", key],
        service,
      );
      if ((await digestOf(out)) !== digest) throw new Error("What was exported is not what was imported.");
      return figures;
    },
  ],
];

/** Runs a command until it ends. */
async function timed(place: Place, args: readonly string[], service?: Target): Promise<Figures> {
  const cpuBefore = service ? cpuOf([service.pid]) : 0;
  const [database, begunAt] = [place.cpu(), performance.now()];
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: join(import.meta.dir, ".."),
    env: { ...process.env, XDG_STATE_HOME: join(place.folder, "state") },
    stdout: "ignore",
    stderr: "pipe",
  });
  let commandMb = 0;
  const watch = setInterval(() => {
    commandMb = Math.max(commandMb, peakResidentBytes(child.pid));
  }, 20);
  const ended = new AbortController();
  const maxWait = service ? measureMaxWait(service.url, ended.signal) : 0;
  const [told, exitCode] = await Promise.all([child.stderr.text(), child.exited]).finally(() => clearInterval(watch));
  ended.abort();
  if (exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${exitCode}: ${told}`);
  const usage = child.resourceUsage();
  return {
    seconds: (performance.now() - begunAt) / 1000,
    command: Number(usage?.cpuTime.total ?? 0),
    service: service ? cpuOf([service.pid]) - cpuBefore : 0,
    database: place.cpu() - database,
    commandMb,
    serviceMb: service ? peakResidentBytes(service.pid) : 0,
    maxWaitMs: await maxWait,
  };
}

/** Sends a cheap request repeatedly until it is stopped, and returns the longest response time. */
async function measureMaxWait(url: URL, end: AbortSignal): Promise<number> {
  let longest = 0;
  while (!end.aborted) {
    const askedAt = performance.now();
    await (await fetch(new URL("/healthz", url))).arrayBuffer();
    longest = Math.max(longest, performance.now() - askedAt);
    await Bun.sleep(5);
  }
  return longest;
}

/** Peak memory of a process in megabytes on Linux; 0 elsewhere. */
function peakResidentBytes(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}

/** The animals of the other benchmarks. Returns the digest of the same animals with the ids that an empty store assigns. */
async function writeAnimals(file: string, count: number): Promise<string> {
  const out = createWriteStream(file);
  const hash = createHash("sha256");
  const statuses = ["available", "pending", "sold"];
  for (let id = 1; id <= count; id++) {
    const rest = `"name":"Animal ${id}","categoryId":${id % 5},"status":"${statuses[id % 3]}"}\n`;
    hash.update(`{"id":${id},${rest}`);
    if (!out.write(`{${rest}`)) await new Promise((resolve) => out.once("drain", resolve));
  }
  await new Promise<void>((resolve) => out.end(resolve));
  return hash.digest("hex");
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest("hex");
}
