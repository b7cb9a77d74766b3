import { Database } from "bun:sqlite";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { SQL } from "bun";

/** The control of the import benchmark: inserts the same rows, without validation, idempotency records, events or a checkpoint. */
const [, , address = "", file = ""] = process.argv;

interface Animal {
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const insert = address.startsWith("sqlite:") ? openSqliteInserter(address) : openPostgresInserter(address);
let batch: Animal[] = [];
for await (const line of createInterface({ input: createReadStream(file) })) {
  if (batch.push(JSON.parse(line)) < 5_000) continue;
  await insert(batch);
  batch = [];
}
await insert(batch);
process.exit(0);

function openSqliteInserter(url: string): (animals: readonly Animal[]) => void {
  const database = new Database(url.slice("sqlite:".length));
  database.run("PRAGMA synchronous = FULL");
  const insertOne = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  return database.transaction((animals: readonly Animal[]) => {
    for (const { name, categoryId, status } of animals) insertOne.run(name, categoryId, status);
  });
}

function openPostgresInserter(url: string): (animals: readonly Animal[]) => Promise<void> {
  const { searchParams } = new URL(url);
  const schema = searchParams.get("schema") ?? "public";
  const sql = new SQL({ url: url.replace(/\?.*/, ""), max: 1 });
  return async (animals) => {
    await sql.unsafe(
      `INSERT INTO ${schema}.pets (name, category_id, status) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])`,
      [
        sql.array(
          animals.map(({ name }) => name),
          "TEXT",
        ),
        sql.array(
          animals.map(({ categoryId }) => String(categoryId)),
          "INT8",
        ),
        sql.array(
          animals.map(({ status }) => status),
          "TEXT",
        ),
      ],
    );
  };
}
