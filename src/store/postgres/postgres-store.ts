import type { PostgresAddress } from "../../domain/database-address.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Store, StoreOpenError } from "../store.ts";
import { Connection } from "./connection.ts";
import { keyStore } from "./keys.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { petStore } from "./pets.ts";
import { transferOf } from "./transfer.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(address: PostgresAddress, poolSize: number): Promise<Store> {
  const connection = new Connection(address, poolSize);
  try {
    await requireSupport(connection);
    await migrate(connection, address.schema);
  } catch (error) {
    await connection.close();
    throw explainOpenError(error);
  }
  const pets = petStore(connection);
  return {
    pets,
    keys: keyStore(connection),
    transfer: transferOf(connection),
    async ready() {
      await connection.query("SELECT 1 FROM pets LIMIT 1");
    },
    async close() {
      await pets.drain();
      await connection.close();
    },
  };
}

/** What opening the database would do to its schema, by name. Throws StoreOpenError. */
export async function planPostgresMigration(address: PostgresAddress): Promise<string[]> {
  const connection = new Connection(address, 1);
  try {
    return await pendingMigrations(connection);
  } catch (error) {
    throw explainOpenError(error);
  } finally {
    await connection.close();
  }
}

function explainOpenError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new StoreOpenError(`The PostgreSQL database cannot be used: ${error.cause}.`);
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
