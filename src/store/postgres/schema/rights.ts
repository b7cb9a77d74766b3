import { arrayOf, type Query } from "../query.ts";

type Right = "SELECT" | "INSERT" | "UPDATE" | "DELETE";

/** What the service does to each table. Changing the schema, and copying everything, is for the owner. */
const needs: Readonly<Record<string, readonly Right[]>> = {
  migrations: ["SELECT"],
  orders: ["SELECT", "INSERT", "UPDATE"],
  keys: ["SELECT", "INSERT", "UPDATE"],
  pets: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  categories: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  claims: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  quota_uses: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  // Rows are locked before they are summed up, which takes the right to update them.
  inventory_changes: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  webhooks: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  webhook_parked: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  webhook_deliveries: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  event_inbox: ["SELECT", "INSERT", "DELETE"],
  events: ["SELECT", "INSERT", "DELETE"],
};

/** The statements that give the current user what it lacks for the tables that there are, and for all of their rows. */
export async function missingGrants(query: Query, schemaName: string): Promise<string[]> {
  const [schema] = await query<{ name: string; user: string; isUsable: boolean }>(
    `SELECT quote_ident(nspname) AS name, quote_ident(current_user) AS user,
            has_schema_privilege(oid, 'USAGE') AS "isUsable"
     FROM pg_namespace WHERE nspname = $1`,
    [schemaName],
  );
  if (!schema) return [];
  const tables = new Map<string, string[]>();
  for (const { table, rights } of await missingOnTables(query, schemaName)) {
    tables.set(rights, [...(tables.get(rights) ?? []), `${schema.name}.${table}`]);
  }
  const grants = [
    ...(schema.isUsable ? [] : [`USAGE ON SCHEMA ${schema.name}`]),
    ...[...tables].map(([rights, names]) => `${rights} ON ${names.join(", ")}`),
  ];
  const hidden = await hiddenTables(query, schemaName);
  return [
    ...grants.map((grant) => `GRANT ${grant} TO ${schema.user};`),
    ...hidden.map((table) => `CREATE POLICY animal_store ON ${schema.name}.${table} TO ${schema.user} USING (true);`),
  ];
}

/** Why the current user could not change the schema, if that can be told. */
export async function hindranceToChange(query: Query, schemaName: string): Promise<string | undefined> {
  const [database] = await query<{ name: string; user: string; owner: string | null; canBeMade: boolean }>(
    `SELECT quote_ident(current_database()) AS name, quote_ident(current_user) AS user,
            quote_ident(pg_get_userbyid(nspowner)) AS owner,
            nspowner IS NOT NULL AND pg_has_role(nspowner, 'USAGE')
              OR nspowner IS NULL AND has_database_privilege(current_database(), 'CREATE') AS "canBeMade"
     FROM (SELECT (SELECT nspowner FROM pg_namespace WHERE nspname = $1)) AS schema (nspowner)`,
    [schemaName],
  );
  if (!database || database.canBeMade) return undefined;
  const { name, user, owner } = database;
  return owner === null
    ? `The user ${user} may not create a schema. Use another user, or run: GRANT CREATE ON DATABASE ${name} TO ${user};`
    : `The schema belongs to ${owner}. Run migrate as that user.`;
}

/** Asked of the catalogue by name and not by a cast, which would need the right to use the schema. */
async function missingOnTables(query: Query, schemaName: string): Promise<{ table: string; rights: string }[]> {
  const wanted = Object.entries(needs).flatMap(([table, rights]) => rights.map((right) => [table, right] as const));
  return await query(
    `SELECT relname AS "table", string_agg(wanted."right", ', ' ORDER BY place) AS rights
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS wanted ("table", "right", place)
     JOIN pg_class ON relname = wanted."table"
     JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = $1
     WHERE NOT has_table_privilege(pg_class.oid, wanted."right")
     GROUP BY relname ORDER BY min(place)`,
    [
      schemaName,
      arrayOf(
        wanted.map(([table]) => table),
        "TEXT",
      ),
      arrayOf(
        wanted.map(([, right]) => right),
        "TEXT",
      ),
    ],
  );
}

/** With row-level security and no policy, as some hosts set it up, only the owner sees rows. What policies say is not looked at. */
async function hiddenTables(query: Query, schemaName: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = $1
     WHERE relname = ANY ($2::text[]) AND row_security_active(pg_class.oid)
       AND NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid)
     ORDER BY relname`,
    [schemaName, arrayOf(Object.keys(needs), "TEXT")],
  );
  return rows.map(({ name }) => name);
}
