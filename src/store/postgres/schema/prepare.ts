import type { PostgresAddress } from "../../../base/database-address.ts";
import { type RefusalCode, ServiceError } from "../../../domain/errors.ts";
import type { StoreFacts } from "../../inspection.ts";
import { type MigrationPlan, StoreOpenError } from "../../store.ts";
import { RightMissing } from "../errors.ts";
import { Connection, type ConnectionSettings } from "../servers/connection.ts";
import { requireOwnStatements, requireTransactions } from "../servers/pooler.ts";
import { type FoundSchema, findSchema, migrate, pendingMigrations, requireStore } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { hindranceToChange, missingGrants } from "./rights.ts";
import { titleOf } from "./schema-parts.ts";

/** Requires that the database can be used, and brings its schema up to date. Throws StoreOpenError. */
export async function prepareDatabase(address: PostgresAddress, mustExist: boolean): Promise<void> {
  const { schema } = address;
  const { pending } = await withUsableServer(address, {}, async (connection) => {
    const plan = requireComplete(await requireRights(connection, schema), schema);
    if (mustExist) await requireStore(connection, schema);
    return plan;
  });
  if (pending.length === 0) return;
  await using connection = connect(address, { limitMilliseconds: maxMigrationMs, poolSize: 2 });
  await migrate(connection, schema).catch((error) => {
    if (!(error instanceof RightMissing)) throw explainOpenError(error);
    throw new StoreOpenError(
      `The schema of the database is not up to date, and the PostgreSQL user is not allowed to change it. Run animal-store migrate as a user who is; pending: ${pending.map(({ name }) => name).join("; ")}.`,
    );
  });
}

/** Returns what `prepareDatabase` would do to the schema, and what the user lacks for it. Throws StoreOpenError. */
export async function planPostgresMigration(address: PostgresAddress): Promise<MigrationPlan> {
  return await withUsableServer(address, {}, async (connection) =>
    requireComplete(await planOf(connection, address.schema), address.schema),
  );
}

/** Throws StoreOpenError. */
export async function inspectPostgres(address: PostgresAddress): Promise<StoreFacts> {
  return await withUsableServer(address, {}, async (connection) => {
    const before = Date.now();
    const [server] = await connection.query<{ version: string; now: string }>(
      `SELECT current_setting('server_version') AS version,
              floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now`,
    );
    // The server read its clock somewhere between the question and the answer.
    const [late, early] = [Date.now() - Number(server?.now), before - Number(server?.now)];
    requireComplete(await requireRights(connection, address.schema), address.schema);
    const { version } = await findSchema(connection.query, address.schema);
    return {
      engine: `PostgreSQL ${server?.version}`,
      schema: version === 0 ? undefined : version,
      newestSchema: migrations.length,
      files: [],
      aheadMs: early > 0 ? early : Math.min(0, late),
    };
  });
}

export function explainOpenError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, cause }: ServiceError = error;
  const advice = remedies[code] ?? "Check the user, password and database in its URL, and the log of the server.";
  return new StoreOpenError(
    `The PostgreSQL database cannot be used: ${cause}. ${advice}`,
    code === "ServiceUnavailable",
  );
}

const remedies: Partial<Readonly<Record<RefusalCode, string>>> = {
  ServiceUnavailable:
    "Make sure that the server is running, can be reached from here and has connections left, then try again.",
  InsufficientStorage: "Free some space on the disk of the server, then try again.",
};

/** Connects to a server that has, like any pooler in front of it, all that the service relies on. Throws StoreOpenError. */
export async function withUsableServer<Result>(
  address: PostgresAddress,
  settings: Pick<ConnectionSettings, "limitMilliseconds">,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { replicas } = address;
  const isAppliedOnStandbys = replicas.length > 0;
  try {
    await using connection = connect(address, { ...settings, isAppliedOnStandbys });
    await requireTransactions(connection, isAppliedOnStandbys);
    await requireSoundPooler(connection, address, "primary");
    await Promise.all(replicas.map((url) => requireSoundPoolerOfStandby(url, address)));
    await requireSupport(connection);
    return await use(connection);
  } catch (error) {
    throw explainOpenError(error);
  }
}

/** Makes a connection for work before the service starts, to be closed before the pool opens its own. */
function connect(
  { urls, schema }: Pick<PostgresAddress, "urls" | "schema">,
  settings: Partial<ConnectionSettings>,
): Connection {
  return new Connection({ urls, schema, poolSize: 1, role: "primary", note: () => {}, ...settings });
}

/** A migration of a large table, or waiting for another instance that makes one, takes longer than any request may. */
const maxMigrationMs = 3_600_000;

/** Checks a pooler in front of the server. The connection must not have prepared anything. Throws StoreOpenError. */
async function requireSoundPooler(
  one: Connection,
  address: Pick<PostgresAddress, "urls" | "schema">,
  role: ConnectionSettings["role"],
): Promise<void> {
  let isOnlyOne = false;
  const onTooMany = () => {
    isOnlyOne = true;
  };
  await using other = connect(address, { role, onTooMany });
  await requireOwnStatements(one, other).catch((error) => {
    if (!isOnlyOne) throw error;
  });
}

async function requireSoundPoolerOfStandby(url: string, { schema }: PostgresAddress): Promise<void> {
  const address = { urls: [url], schema };
  await using one = connect(address, { role: "standby" });
  await requireSoundPooler(one, address, "standby").catch((error) => {
    // A standby that does not answer gets no reads, and does not prevent the start.
    if (!(error instanceof ServiceError)) throw error;
  });
}

async function requireSupport({ query }: Connection): Promise<void> {
  const [server] = await query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  if (Number(server?.version) < minVersion) {
    throw new StoreOpenError("The PostgreSQL server is too old. Use version 15 or later.");
  }
  if (server?.encoding !== "UTF8") {
    throw new StoreOpenError(`The PostgreSQL database has the encoding ${server?.encoding}. Use one with UTF8.`);
  }
}

const minVersion = 150_000;

export async function requireRights(connection: Connection, schema: string): Promise<PlanForFound> {
  const plan = await planOf(connection, schema);
  if (plan.grants.length === 0) return plan;
  throw new StoreOpenError(
    `The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${plan.grants.join(" ")}`,
  );
}

/** Refuses a store without some of its parts, as an interrupted restore leaves it. Throws StoreOpenError. */
function requireComplete({ missing, ...plan }: PlanForFound, schema: string): MigrationPlan {
  if (missing.length === 0) return plan;
  throw new StoreOpenError(
    `The store in the schema ${schema} of the PostgreSQL database is incomplete. Missing: ${missing.map(titleOf).join("; ")}. Restore a backup.`,
  );
}

type PlanForFound = MigrationPlan & Pick<FoundSchema, "missing">;

async function planOf(connection: Connection, schema: string): Promise<PlanForFound> {
  const grants = await missingGrants(connection.query);
  // Without the right to read the applied migrations, the pending ones are unknown.
  const found = await pendingMigrations(connection, schema).catch((error) => {
    if (error instanceof RightMissing && grants.length > 0) return { pending: [], isNewer: false, missing: [] };
    throw error;
  });
  const hindrance = found.pending.length > 0 ? await hindranceToChange(connection.query) : undefined;
  return { ...found, grants, hindrance };
}
