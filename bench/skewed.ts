import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import type { DatabaseAddress } from "../src/base/database-address.ts";
import { encodeCursor } from "../src/domain/page-cursor.ts";
import { PostgresServer } from "../test/support/postgres.ts";
import { makeCatalogue } from "./catalogue.ts";
import { type NextRequest, requestBytes } from "./load.ts";
import { type Plan, showProgress } from "./plan.ts";
import type { Section } from "./report.ts";
import { measureAll, type Workload } from "./sqlite.ts";
import { key, startService } from "./targets.ts";

export async function runSkewed(folder: string, plan: Plan): Promise<Section[]> {
  const path = join(folder, "skewed.db");
  const sqliteAddress = { kind: "sqlite", path } as const;
  await using server = await PostgresServer.start({ fsync: "off" });
  const postgresAddress = { kind: "postgres", urls: [server.url], schema: "animal_store", replicas: [] } as const;
  const sections: Section[] = [];
  for (const [name, url, address] of [
    ["SQLite", `sqlite:${path}`, sqliteAddress],
    ["PostgreSQL", server.url, postgresAddress],
  ] as const) {
    showProgress(`Making ${plan.skewedAnimals} animals on ${name}`);
    await makeCatalogue(address, 0);
    await addSkewedAnimals(address, plan.skewedAnimals);
    await using service = await startService(url, { log: join(folder, "service.log") });
    const rows: (string | number)[][] = [];
    for (const filter of filters) {
      showProgress(`${name}: ${filter}`);
      const requests = [requestFirstPage(filter), requestRandomPages(filter, plan.skewedAnimals), createControlRequest];
      const workloads = requests.map((next): Workload => [service, oneConnection, next]);
      const shortPlan = { roundMs: plan.roundMs / 2, warmUpRequests: plan.warmUpRequests / 30 };
      const measured = await measureAll({ ...plan, ...shortPlan }, workloads);
      rows.push([formatTitle(filter), ...measured.flatMap(({ p50, p99 }) => [p50, p99])]);
    }
    sections.push({
      title: `Lists of ${plan.skewedAnimals.toLocaleString("en")} skewed animals on ${name}, one connection`,
      columns: [
        ...["filter", "first page p50 ms", "p99 ms", "at a random place p50 ms", "p99 ms"],
        ...["control p50 ms", "control p99 ms"],
      ],
      rows,
    });
  }
  return sections;
}

/** Adds animals. 80 % are sold, 90 % are in one category, the others are in 1,000 other categories, and a third have the same name. */
async function addSkewedAnimals(address: DatabaseAddress, count: number): Promise<void> {
  const createInsertSql = (from: string) => `INSERT INTO pets (name, category_id, status)
     SELECT CASE WHEN id % 3 = 0 THEN 'Rex' ELSE 'Animal ' || id END, CASE id % 10 WHEN 0 THEN 2 + id / 10 % 1000 ELSE 1 END,
       CASE WHEN id <= ${Math.floor(count * 0.8)} THEN 'sold' WHEN id % 2 = 0 THEN 'pending' ELSE 'available' END
     FROM ${from}`;
  if (address.kind === "sqlite") {
    using database = new Database(address.path);
    database.run("PRAGMA synchronous = OFF");
    const ids = `(WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count}) SELECT id FROM ids)`;
    database.run(createInsertSql(ids));
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } else {
    await using sql = new SQL({ url: address.urls[0] ?? "", max: 1, connection: { search_path: address.schema } });
    await sql.unsafe(createInsertSql(`generate_series(1, ${count}) AS ids (id) ORDER BY id`));
    await sql.unsafe("VACUUM ANALYZE pets");
  }
}

const oneConnection = { connections: 1 };

/** Returns a request that needs no database, so that its p99 latency shows how busy the machine was with other work. */
const createControlRequest = () => ({ bytes: requestBytes("GET", "/healthz", null), kind: "control", status: 200 });

const statuses = ["available", "pending", "sold"];
/** A category with nearly all animals, a category with few animals, and an empty category. */
const categories = [1, 500, 5000];

/** Query strings. The parameters are in the same order as the filters in cursors, so that the service accepts the generated cursors. */
const filters = [
  "",
  ...statuses.map((status) => `status=${status}`),
  "id=1000",
  ...categories.map((category) => `categoryId=${category}`),
  ...categories.flatMap((category) => statuses.map((status) => `status=${status}&categoryId=${category}`)),
  "status=available,sold",
  "status=available,pending,sold",
  ...categories.map((category) => `status=available,pending,sold&categoryId=${category}`),
  `id=${Array.from({ length: 100 }, (_, index) => 1 + 1_000 * index).join()}`,
  "sort=-id",
  ...statuses.map((status) => `status=${status}&sort=-id`),
  ...categories.map((category) => `categoryId=${category}&sort=-id`),
  "status=available,pending,sold&categoryId=1&sort=-id",
  ...["animal", "animal%201", "rex", "z"].map((name) => `name=${name}`),
];

function formatTitle(filter: string): string {
  if (filter === "") return "none";
  return filter.length < 60 ? `\`${filter}\`` : `\`${filter.slice(0, 20)}...\``;
}

function requestFirstPage(filter: string): NextRequest {
  let requestCount = 0;
  return () => createPageRequest(`${filter}&request=${requestCount++}`);
}

function requestRandomPages(filter: string, animalCount: number): NextRequest {
  const listId = `listPets${filter && `\n${decodeURIComponent(filter).replaceAll("&", "\n")}`}`;
  let requestCount = 0;
  return () => {
    const after = 1 + Math.floor(Math.random() * animalCount);
    const afterName = cursorNameAt(filter, after);
    const cursor = encodeCursor({ after, afterName }, listId);
    return createPageRequest(`${filter}&cursor=${cursor}&request=${requestCount++}`);
  };
}

function cursorNameAt(filter: string, id: number): string | undefined {
  const [, name] = /^name=(.*)/.exec(decodeURIComponent(filter)) ?? [];
  return name?.startsWith("animal") ? `${name}${id}` : name;
}

function createPageRequest(query: string) {
  return { bytes: requestBytes("GET", `/v1/pets?${query.replace(/^&/, "")}`, key), kind: "read", status: 200 };
}
