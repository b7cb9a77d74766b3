import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { listenForMetrics } from "../../src/http/monitoring/metrics-endpoint.ts";
import { Client } from "./client.ts";
import type { TestDatabase } from "./database.ts";
import { parseScrape, type Scrape } from "./prometheus.ts";
import type { TestService } from "./service.ts";
import { pause } from "./wait.ts";

/** Serves the metrics of a service on a separate port, so that a scrape does not count as a request. */
export function watchMetrics({ metrics }: TestService) {
  const server = listenForMetrics(metrics, "127.0.0.1", 0);
  const client = new Client(server.url, "");
  const scrape = async () => parseScrape((await client.bytes("/metrics", {})).bytes.toString());
  return {
    client,
    scrape,
    async until(condition: (scrape: Scrape) => boolean): Promise<Scrape> {
      const guard = AbortSignal.timeout(maxWaitMs);
      while (!guard.aborted) {
        const scraped = await scrape();
        if (condition(scraped)) return scraped;
        await pause();
      }
      throw new Error(`The metrics never fulfilled this condition: ${condition}`);
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Blocks commits of writes to animals until the returned object is released or disposed of. */
export async function holdWrites({ address }: TestDatabase): Promise<HeldWrites> {
  if (address.kind === "sqlite") {
    const database = new Database(address.path);
    database.run("BEGIN IMMEDIATE");
    return createHold(async () => database.close());
  }
  const sql = new SQL({ url: address.urls[0] ?? "", max: 1 });
  await sql.unsafe(`BEGIN; LOCK TABLE ${address.schema}.pets IN SHARE MODE`);
  return createHold(() => sql.close());
}

export interface HeldWrites extends AsyncDisposable {
  release(): Promise<void>;
}

function createHold(end: () => Promise<void>): HeldWrites {
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= end();
    return released;
  };
  return { release, [Symbol.asyncDispose]: release };
}

/** Time limit of a wait, only reached if the condition never holds. */
const maxWaitMs = 240_000;
