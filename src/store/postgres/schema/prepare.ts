import type { PostgresAddress } from "../../../base/database-address.ts";
import { ServiceError } from "../../../domain/errors.ts";
import type { StoreFacts } from "../../inspection.ts";
import { type MigrationPlan, StoreOpenError } from "../../store.ts";
import { PrivilegeMissing } from "../errors.ts";
import { Connection, type ConnectionSettings } from "../servers/connection.ts";
import { diagnoseServers } from "../servers/diagnose-servers.ts";
import { requireSeparateStatements, requireTransactions } from "../servers/pooler.ts";
import { type FoundSchema, findSchema, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { findMissingGrants } from "./rights.ts";
import { isVital } from "./schema-parts.ts";

export async function prepareDatabase(address: PostgresAddress, mustExist: boolean): Promise<void> {
  const { schema } = address;
  const { pending } = await withUsableServer(address, {}, async (connection) => {
    const plan = requireComplete(await requireRights(connection, schema), schema);
    if (mustExist) requireStore(plan, schema);
    return plan;
  });
  if (pending.length === 0) return;
  await using connection = connect(address, { limitMilliseconds: maxMigrationMs, poolSize: 2 });
  await migrate(connection, schema).catch((error) => {
    if (!(error instanceof PrivilegeMissing)) throw toOpenError(error);
    throw new StoreOpenError(
      `The schema of the database is not up to date, and the PostgreSQL user is not allowed to change it. Run animal-store migrate as a user who is; pending: ${pending.map(({ name }) => name).join("; ")}.`,
    );
  });
}

export async function planPostgresMigration(address: PostgresAddress): Promise<MigrationPlan> {
  return await withUsableServer(address, {}, async (connection) =>
    requireComplete(await planFor(connection, address.schema), address.schema),
  );
}

export async function inspectPostgres(address: PostgresAddress, poolSize: number): Promise<StoreFacts> {
  return await withUsableServer(address, {}, async (connection) => {
    const before = Date.now();
    const [server] = await connection.query<{ version: string; now: string }>(
      `SELECT current_setting('server_version') AS version,
              floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now`,
    );
    // The server read its clock at some time between the request and the response.
    const [late, early] = [Date.now() - Number(server?.now), before - Number(server?.now)];
    const { version } = requireComplete(await requireRights(connection, address.schema), address.schema);
    return {
      engine: `PostgreSQL ${server?.version}`,
      schema: version === 0 ? undefined : version,
      newestSchema: migrations.length,
      files: [],
      aheadMs: early > 0 ? early : Math.min(0, late),
      diagnoses: await diagnoseServers(connection.query, address, poolSize, (url) =>
        connect({ ...address, urls: [url] }, { role: "standby" }),
      ),
    };
  });
}

export function toOpenError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, cause }: ServiceError = error;
  const isUnreachable = code === "ServiceUnavailable";
  const advice = isUnreachable
    ? "Make sure that the server is running, can be reached from here and has connections left, then try again."
    : "Check the user, password and database in its URL, and the log of the server.";
  return new StoreOpenError(`The PostgreSQL database cannot be used: ${cause}. ${advice}`, isUnreachable);
}

/** Requires that the server and any pooler support what the service needs. Throws StoreOpenError. */
export async function withUsableServer<Result>(
  address: PostgresAddress,
  settings: Pick<ConnectionSettings, "limitMilliseconds">,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { replicas } = address;
  try {
    await using connection = connect(address, { ...settings, shouldWaitForStandbys: replicas.length > 0 });
    await requireTransactions(connection);
    await requireSuitablePooler(connection, address, "primary");
    const checkStandby = async (standby: PostgresAddress) => {
      await using one = connect(standby, { role: "standby" });
      await requireSuitablePooler(one, standby, "standby");
    };
    await Promise.all(replicas.map((url) => checkStandby({ ...address, urls: [url] })));
    await requireSupportedServer(connection);
    return await use(connection);
  } catch (error) {
    throw toOpenError(error);
  }
}

function connect({ urls, schema }: PostgresAddress, settings: Partial<ConnectionSettings>): Connection {
  return new Connection({ urls, schema, poolSize: 1, role: "primary", note: () => {}, ...settings });
}

const maxMigrationMs = 3_600_000;

async function requireSuitablePooler(
  one: Connection,
  address: PostgresAddress,
  role: ConnectionSettings["role"],
): Promise<void> {
  await using other = connect(address, { role });
  await requireSeparateStatements(one, other).catch((error) => {
    // The check is skipped if the server has only one connection left, and for a standby that does not respond.
    if (!(error instanceof ServiceError)) throw error;
  });
}

async function requireSupportedServer({ query }: Connection): Promise<void> {
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

export function requireStore({ version }: SchemaPlan, schema: string): void {
  if (version > 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database has no store in its schema ${schema}. Name an existing store; only serve, migrate and copy --to create a new one.`,
  );
}

export async function requireRights(connection: Connection, schema: string): Promise<SchemaPlan> {
  const plan = await planFor(connection, schema);
  if (plan.missingGrants.length === 0) return plan;
  throw new StoreOpenError(
    `The PostgreSQL user lacks privileges that the service needs. Ask the owner of the schema to run: ${plan.missingGrants.join(" ")}`,
  );
}

function requireComplete(plan: SchemaPlan, schema: string): SchemaPlan {
  const missing = plan.missing.filter(isVital).map(({ title }) => title);
  if (missing.length === 0) return plan;
  throw new StoreOpenError(
    `The store in the schema ${schema} of the PostgreSQL database is incomplete. Missing: ${missing.join("; ")}. Restore a backup.`,
  );
}

export type SchemaPlan = MigrationPlan & Pick<FoundSchema, "version" | "missing">;

async function planFor({ query }: Connection, schema: string): Promise<SchemaPlan> {
  const missingGrants = await findMissingGrants(query);
  // The pending migrations are unknown if the user may not read the table of migrations, or row-level security hides its rows.
  const foundSchema = await findSchema(query, schema).catch((error) => {
    if (missingGrants.length > 0) return undefined;
    throw error;
  });
  if (!foundSchema) return { pending: [], isNewer: false, version: 0, missing: [], missingGrants };
  const { version, missing } = foundSchema;
  const pending = migrations.slice(version).map(({ name, version: own, oldestProgram }) => ({
    name,
    isOnline: version === 0 || oldestProgram < own,
  }));
  return { pending, isNewer: version > migrations.length, version, missing, missingGrants };
}
