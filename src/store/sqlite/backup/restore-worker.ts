import { Database } from "bun:sqlite";
import { StoreOpenError } from "../../store.ts";
import { examineVersion } from "../file/examine.ts";
import { explainOpenError } from "../file/explain.ts";
import { checkSqlite } from "../schema/check.ts";
import { migrate, newestVersion } from "../schema/migrate.ts";

/** The copy of a backup that is to become a store. */
export interface ToRestoreWorker {
  readonly partial: string;
}

/** How many animals there are, or what is wrong with the copy. */
export type FromRestoreWorker = { readonly animals: number } | { readonly problem: string };

declare const self: Worker;

self.onmessage = async ({ data: { partial } }: MessageEvent<ToRestoreWorker>) => {
  try {
    reply({ animals: await makeStore(partial) });
  } catch (error) {
    reply({ problem: explainOpenError(partial, error).message });
  }
};

/** What is checked is the copy, which is what will be used. */
async function makeStore(partial: string): Promise<number> {
  bringUpToDate(partial, examineVersion(partial).version);
  const problems = (await checkSqlite(partial, { replays: false })).flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new StoreOpenError(`${partial} is not as it should be: ${problems.join(" ")}`);
  markAsUsed(partial);
  using database = new Database(partial, { readonly: true, strict: true });
  return database.query<{ count: number }, []>("SELECT count(*) AS count FROM pets").get()?.count ?? 0;
}

/** All that there is has to be in the file alone, which is what gets the store's name. */
function bringUpToDate(partial: string, version: number): void {
  using database = new Database(partial, { readwrite: true, strict: true });
  database.run("PRAGMA journal_mode = DELETE");
  if (version < newestVersion) migrate(database);
}

/** What is restored is a store even before it is first opened, so that no backup takes its place. */
function markAsUsed(partial: string): void {
  using database = new Database(partial, { readwrite: true, strict: true });
  database.run("PRAGMA journal_mode = WAL");
}

function reply(message: FromRestoreWorker): void {
  self.postMessage(message);
}
