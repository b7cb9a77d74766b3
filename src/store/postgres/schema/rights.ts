import { type Query, toColumns } from "../query.ts";

const neededPrivileges = Object.entries({
  SELECT: ["migrations"],
  "SELECT, INSERT, UPDATE": ["orders", "keys"],
  // Summing up the inventory selects its changes FOR UPDATE, which needs the right to update them.
  "SELECT, INSERT, UPDATE, DELETE": [
    ...["pets", "categories", "claims", "quota_uses", "inventory_changes"],
    ...["webhooks", "webhook_parked", "webhook_deliveries"],
  ],
  "SELECT, INSERT, DELETE": ["event_inbox", "events"],
}).flatMap(([privileges, tables]) => tables.map((table) => [table, privileges] as const));

export async function findMissingGrants(query: Query): Promise<string[]> {
  // The catalogue is read by name: a cast to regclass would need the right to use the schema.
  const rows = await query<{ statement: string }>(
    `WITH schema AS (
       SELECT oid, quote_ident(nspname) AS name, quote_ident(current_user) AS "user"
       FROM pg_namespace WHERE oid = to_regnamespace($1)
     ), needed AS (
       SELECT pg_class.oid, name, "user", relname, rights, place
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS needs ("table", rights, place)
       JOIN schema ON true JOIN pg_class ON relname = needs."table" AND relnamespace = schema.oid
     ), lacking AS (
       SELECT name, "user", relname, place, string_agg("right", ', ' ORDER BY rank) AS rights
       FROM needed, string_to_table(rights, ', ') WITH ORDINALITY AS each ("right", rank)
       WHERE NOT has_table_privilege(needed.oid, "right") GROUP BY name, "user", relname, place
     )
     SELECT statement FROM (
       SELECT 0 AS kind, 0 AS place, format('GRANT USAGE ON SCHEMA %s TO %s;', name, "user") AS statement
       FROM schema WHERE NOT has_schema_privilege(oid, 'USAGE')
       UNION ALL
       SELECT 1, min(place), format('GRANT %s ON %s TO %s;', rights, string_agg(name || '.' || relname, ', ' ORDER BY place), "user")
       FROM lacking GROUP BY rights, "user"
       UNION ALL
       -- With row-level security and no policy, as some hosts set it up, only the owner sees rows. Policies are not examined.
       SELECT 2, row_number() OVER (ORDER BY relname),
              format('CREATE POLICY animal_store ON %s.%s TO %s USING (true);', name, relname, "user")
       FROM needed WHERE row_security_active(oid) AND NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = needed.oid)
     ) AS statements ORDER BY kind, place`,
    [query.schema, ...toColumns(["TEXT", "TEXT"], neededPrivileges)],
  );
  return rows.map(({ statement }) => statement);
}
