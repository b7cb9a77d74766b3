import type { PostgresAddress } from "../../domain/database-address.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Store, StoreOpenError } from "../store.ts";
import { Connection } from "./connection.ts";
import { keyStore } from "./keys.ts";
import { migrate } from "./migrate.ts";
import { petStore } from "./pets.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(address: PostgresAddress, poolSize: number): Promise<Store> {
  const connection = new Connection(address, poolSize);
  try {
    await requireSupport(connection);
    await migrate(connection, address.schema);
  } catch (error) {
    await connection.close();
    if (!(error instanceof ServiceError)) throw error;
    throw new StoreOpenError(`The PostgreSQL database cannot be used: ${error.cause}.`);
  }
  const pets = petStore(connection);
  return {
    pets,
    keys: keyStore(connection),
    async ready() {
      await connection.query("SELECT 1 FROM pets LIMIT 1");
    },
    async close() {
      await pets.drain();
      await connection.close();
    },
  };
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
