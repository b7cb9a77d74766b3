import type { PostgresAddress } from "../../../base/database-address.ts";
import { type RefusalCode, ServiceError } from "../../../domain/errors.ts";
import { type MigrationPlan, StoreOpenError } from "../../store.ts";
import { RightMissing } from "../errors.ts";
import { Connection, type ConnectionSettings } from "../servers/connection.ts";
import { requireOwnStatements, requireTransactions } from "../servers/pooler.ts";
import { type FoundSchema, migrate, pendingMigrations, requireStore } from "./migrate.ts";
import { hindranceToChange, missingGrants } from "./rights.ts";
import { titleOf } from "./schema-parts.ts";

/** Makes sure that the database can be used, and brings its schema up to date. Throws StoreOpenError. */
export async function prepareDatabase(address: PostgresAddress, mustExist: boolean): Promise<void> {
  const { schema } = address;
  try {
    const { pending } = await withUsableServer(address, {}, async (connection) => {
      const plan = requireComplete(await requireRights(connection, schema), schema);
      if (mustExist) await requireStore(connection, schema);
      return plan;
    });
    if (pending.length === 0) return;
    const settings = { limitMilliseconds: longestMigrationMs, poolSize: 2 };
    await withConnection(address, settings, (connection) => migrate(connection, schema)).catch((error) => {
      throw error instanceof RightMissing ? notUpToDate(pending) : error;
    });
  } catch (error) {
    throw explainOpenError(error);
  }
}

/** What that would do to the schema, and what the user lacks. Throws StoreOpenError. */
export async function planPostgresMigration(address: PostgresAddress): Promise<MigrationPlan> {
  try {
    return await withUsableServer(address, {}, async (connection) =>
      requireComplete(await planOf(connection, address.schema), address.schema),
    );
  } catch (error) {
    throw explainOpenError(error);
  }
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

/** A connection to a server that has all that the service relies on, and so has whatever is in front of it. Throws StoreOpenError. */
export async function withUsableServer<Result>(
  address: PostgresAddress,
  settings: Pick<ConnectionSettings, "limitMilliseconds">,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { replicas } = address;
  const isAppliedOnStandbys = replicas.length > 0;
  return await withConnection(address, { ...settings, isAppliedOnStandbys }, async (connection) => {
    await requireTransactions(connection, isAppliedOnStandbys);
    await requireSoundPooler(connection, address, "primary");
    await Promise.all(replicas.map((url) => requireSoundPoolerOfStandby(url, address)));
    await requireSupport(connection);
    return await use(connection);
  });
}

/** For what is done before the service starts: one connection, or few, gone before the pool takes its own. */
async function withConnection<Result>(
  { urls, schema }: Pick<PostgresAddress, "urls" | "schema">,
  settings: Partial<ConnectionSettings>,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = new Connection({ urls, schema, poolSize: 1, role: "primary", note: () => {}, ...settings });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** A migration of a large table, or waiting for another instance that makes one, takes longer than any request may. */
const longestMigrationMs = 3_600_000;

/** Looks at what may be in front of the server. The connection must not have prepared anything. Throws StoreOpenError. */
async function requireSoundPooler(
  one: Connection,
  address: Pick<PostgresAddress, "urls" | "schema">,
  role: ConnectionSettings["role"],
): Promise<void> {
  let isOnlyOne = false;
  const onTooMany = () => {
    isOnlyOne = true;
  };
  await withConnection(address, { role, onTooMany }, (other) => requireOwnStatements(one, other)).catch((error) => {
    if (!isOnlyOne) throw error;
  });
}

async function requireSoundPoolerOfStandby(url: string, { schema }: PostgresAddress): Promise<void> {
  const address = { urls: [url], schema };
  await withConnection(address, { role: "standby" }, (one) => requireSoundPooler(one, address, "standby")).catch(
    (error) => {
      // A standby that does not answer gets no reads, and does not prevent the start.
      if (!(error instanceof ServiceError)) throw error;
    },
  );
}

async function requireSupport(connection: Connection): Promise<void> {
  const [server] = await connection.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  if (Number(server?.version) < oldestVersion) {
    throw new StoreOpenError("The PostgreSQL server is too old. Use version 15 or later.");
  }
  if (server?.encoding !== "UTF8") {
    throw new StoreOpenError(`The PostgreSQL database has the encoding ${server?.encoding}. Use one with UTF8.`);
  }
}

const oldestVersion = 150_000;

export async function requireRights(connection: Connection, schema: string): Promise<PlanForFound> {
  const plan = await planOf(connection, schema);
  if (plan.grants.length === 0) return plan;
  throw new StoreOpenError(
    `The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${plan.grants.join(" ")}`,
  );
}

/** Refuses a store of which something is gone, as after a restore that was broken off. Throws StoreOpenError. */
export function requireComplete({ missing, ...plan }: PlanForFound, schema: string): MigrationPlan {
  if (missing.length === 0) return plan;
  throw new StoreOpenError(
    `The store in the schema ${schema} of the PostgreSQL database is incomplete. Missing: ${missing.map(titleOf).join("; ")}. Restore a backup.`,
  );
}

type PlanForFound = MigrationPlan & Pick<FoundSchema, "missing">;

async function planOf(connection: Connection, schema: string): Promise<PlanForFound> {
  const grants = await missingGrants(connection.query, schema);
  // Without the right to read the applied migrations, the pending ones are unknown.
  const found = await pendingMigrations(connection, schema).catch((error) => {
    if (error instanceof RightMissing && grants.length > 0) return { pending: [], isNewer: false, missing: [] };
    throw error;
  });
  const hindrance = found.pending.length > 0 ? await hindranceToChange(connection.query, schema) : undefined;
  return { ...found, grants, hindrance };
}

function notUpToDate(pending: MigrationPlan["pending"]): StoreOpenError {
  return new StoreOpenError(
    `The schema of the database is not up to date, and the PostgreSQL user is not allowed to change it. Run animal-store migrate as a user who is; pending: ${pending.map(({ name }) => name).join("; ")}.`,
  );
}
