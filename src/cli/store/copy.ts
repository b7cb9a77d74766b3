import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { ifPossible } from "../../base/files.ts";
import { toJson } from "../../base/json.ts";
import { SettingsError } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { openExistingStore, openStore, planMigration } from "../../store/open-store.ts";
import type { Table } from "../../store/resource-table.ts";
import { type Store, StoreOpenError } from "../../store/store.ts";
import { type Row, tables } from "../../store/tables.ts";
import { command, exitCodes } from "../command.ts";
import type { Output } from "../terminal/output.ts";
import { databaseFlag } from "./database-settings.ts";
import { openForCommand } from "./open-for-command.ts";

export const copyCommand = command({
  name: "copy",
  summary: "Copy everything from one database to another, keeping all ids.",
  settings: {
    from: databaseFlag("--from", "The database to copy from. Stop the service that writes to it first."),
    to: databaseFlag("--to", "The database to copy to: a new one, or one left behind by an interrupted copy."),
  },
  async run({ settings: { from, to }, output }) {
    if (!from || !to) throw new SettingsError("--from and --to are required: the databases to copy from and to.");
    if (isSame(from, to)) throw new SettingsError("--from and --to name the same database.");
    await using source = await openForCommand(openExistingStore, from, { limitMilliseconds });
    await requireKnownSchema(from, "from");
    const lastIds = await source.store.transfer.lastIds();
    // Opening the target creates it, so the source is checked first.
    await using target = await openForCommand(openStore, to, { limitMilliseconds, isBulk: true });
    await requireKnownSchema(to, "to");
    if (await hasOtherData(target.store, source.store)) {
      output.note("The target database has data that the source does not have. Nothing was changed; choose a new one.");
      return exitCodes.failure;
    }
    // Writes no rows, but fails if privileges are missing, before anything is copied.
    for (const table of tables) await target.store.transfer.write(table, []);
    await target.store.transfer.reserveIds(lastIds);
    const progress = { rows: 0 };
    try {
      await copy(source.store, target.store, progress);
      return await verify(source.store, target.store, output);
    } catch (error) {
      if (progress.rows === 0 || !(error instanceof ServiceError || error instanceof StoreOpenError)) throw error;
      const reason = String(error.cause ?? error.message).replace(/\.$/, "");
      output.note(`animal-store: The copy is incomplete: ${reason}. Run the same command again to continue it.`);
      const isUnreachable = "isUnreachable" in error ? error.isUnreachable : error.code === "ServiceUnavailable";
      return isUnreachable ? exitCodes.unreachable : exitCodes.failure;
    }
  },
});

const limitMilliseconds = 600_000;

function isSame(...addresses: readonly DatabaseAddress[]): boolean {
  const [one, other] = addresses.map((address) =>
    address.kind === "sqlite" ? (ifPossible(() => realpathSync(address.path)) ?? address.path) : toJson(address),
  );
  return one === other;
}

/** Throws StoreOpenError if the schema is newer than this program, because this program might not copy all of the data. */
async function requireKnownSchema(address: DatabaseAddress, flag: string): Promise<void> {
  if (!(await planMigration(address)).isNewer) return;
  throw new StoreOpenError(
    `The schema of the database at --${flag} is newer than this program. Copy it with the newer version.`,
  );
}

async function copy(source: Store, target: Store, progress: { rows: number }): Promise<void> {
  for (const table of tables) {
    for await (const rows of readPages(source, table)) {
      await target.transfer.write(table, rows);
      progress.rows += rows.length;
    }
  }
}

async function verify(source: Store, target: Store, output: Output): Promise<number> {
  const [expected, copied] = [await summarise(source), await summarise(target)];
  if (expected.text === copied.text) return await output.print(`Copied: ${copied.text}`, copied.result);
  output.note(
    `The copy differs: ${copied.text}, not ${expected.text}. Make sure that nothing writes to either database, then run it again.`,
  );
  return exitCodes.failure;
}

async function summarise(store: Store) {
  const hash = createHash("sha256");
  const copied: Record<string, number> = {};
  for (const table of tables) {
    let count = 0;
    for await (const rows of readPages(store, table)) {
      for (const row of rows) hash.update(`${toJson(row.map(toPrintable))}\n`);
      count += rows.length;
    }
    copied[table.title] = count;
  }
  hash.update(toJson(await store.transfer.lastIds()));
  const checksum = hash.digest("hex").slice(0, 16);
  const counts = Object.entries(copied).map(([title, count]) => `${title} ${count}`);
  return { text: `${counts.join(", ")}; checksum ${checksum}`, result: { copied, checksum } };
}

function toPrintable(value: Row[number]): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}

async function hasOtherData(target: Store, source: Store): Promise<boolean> {
  const { items } = await target.pets.list({}, { limit: 1 });
  for (const pet of items) {
    if (toJson(await source.pets.get(pet.id)) !== toJson(pet)) return true;
  }
  const [sourceIds, targetIds] = [await source.transfer.lastIds(), await target.transfer.lastIds()];
  if (Object.entries(targetIds).some(([table, id]) => id > (sourceIds[table] ?? 0))) return true;
  for (const table of tables) if (await hasOtherRow(table, target, source)) return true;
  return false;
}

/** Reads both tables side by side in the order of their keys, because the rows may exceed memory. */
async function hasOtherRow(table: Table, target: Store, source: Store): Promise<boolean> {
  const sourceRows = readRows(source, table);
  let sourceRow = await sourceRows.next();
  for await (const row of readRows(target, table)) {
    while (!sourceRow.done && hasLowerKey(sourceRow.value, row)) sourceRow = await sourceRows.next();
    if (sourceRow.done || identityOf(table, sourceRow.value) !== identityOf(table, row)) return true;
  }
  return false;
}

/** Returns true if the first row has the lower key. The key is the first column, which contains numbers or bytes. */
function hasLowerKey([one = null]: Row, [other = null]: Row): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) < 0;
  return one !== null && other !== null && one < other;
}

function identityOf({ columns, identity }: Table, row: Row): string {
  return toJson(row.filter((_, index) => identity.includes(columns[index]?.[0] ?? "")).map(toPrintable));
}

async function* readRows(store: Store, table: Table): AsyncGenerator<Row, undefined> {
  for await (const rows of readPages(store, table)) yield* rows;
}

async function* readPages({ transfer }: Store, table: Table): AsyncIterable<readonly Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await transfer.read(table, last, pageSize);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

const pageSize = 2_000;
