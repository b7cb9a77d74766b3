import type { PostgresAddress } from "../../../base/database-address.ts";
import type { StoreFacts } from "../../inspection.ts";
import { findSchema, migrations } from "./migrate.ts";
import { explainOpenError, requireComplete, requireRights, withUsableServer } from "./prepare.ts";

/** Throws StoreOpenError. */
export async function inspectPostgres(address: PostgresAddress): Promise<StoreFacts> {
  try {
    return await withUsableServer(address, {}, async (connection) => {
      const before = Date.now();
      const [server] = await connection.query<{ version: string; now: string }>(
        `SELECT current_setting('server_version') AS version,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now`,
      );
      // The server looked at its clock somewhere between the question and the answer.
      const [late, early] = [Date.now() - Number(server?.now), before - Number(server?.now)];
      const aheadMs = early > 0 ? early : Math.min(0, late);
      requireComplete(await requireRights(connection, address.schema), address.schema);
      const { version } = await findSchema(connection.query, address.schema);
      return {
        engine: `PostgreSQL ${server?.version}`,
        schema: version === 0 ? undefined : version,
        newestSchema: migrations.length,
        files: [],
        aheadMs,
      };
    });
  } catch (error) {
    throw explainOpenError(error);
  }
}
