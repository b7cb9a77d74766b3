import type { SQL } from "bun";

/** Clears all statistics except the sizes of the tables. */
export async function clearStatistics(session: SQL, schema: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await session.unsafe(`SELECT pg_clear_relation_stats('${schema}', '${table}')`);
    await session.unsafe(
      `SELECT pg_clear_attribute_stats('${schema}', '${table}', attname::text, false)
       FROM pg_stats WHERE schemaname = '${schema}' AND tablename = '${table}'`,
    );
  }
}

/** Forges random statistics from a seed: rare values look frequent, pages full or empty, and random reads cheap or expensive. */
export async function forgeStatistics(session: SQL, schema: string, seed: number): Promise<void> {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  await session.unsafe(`SET LOCAL random_page_cost = ${pick([1, 1.1, 4, 10])}`);
  await session.unsafe(`SET LOCAL effective_cache_size = ${pick(["'128MB'", "'64GB'"])}`);
  for (const [table, keyColumn, statuses] of [
    ["pets", "category_id", ["available", "pending", "sold"]],
    ["orders", "pet_id", ["cancelled", "completed", "placed"]],
  ] as const) {
    const rowsPerPage = pick([0.1, 1, 100, 100, 1_000]);
    await session.unsafe(
      `SELECT pg_restore_relation_stats('schemaname', '${schema}', 'relname', '${table}', 'relpages', relpages,
         'reltuples', (relpages * ${rowsPerPage})::real, 'relallvisible', ${pick(["0", "relpages"])})
       FROM pg_class WHERE oid = '${schema}.${table}'::regclass`,
    );
    const forgeColumn = async (column: string, values: readonly (string | number)[], width: number) => {
      let rest = 1;
      const frequencies = values.map(() => {
        const part = rest * random() * pick([1, 0.01, 0.000_01]);
        rest -= part;
        return part;
      });
      const bounds = Array.from({ length: 20 }, () => Math.floor(random() ** 3 * pick([50, 50_000, 5_000_000])));
      const histogram =
        typeof values[0] === "string" ? "" : `, 'histogram_bounds', '{${bounds.sort(ascending)}}'::text`;
      await session.unsafe(
        `SELECT pg_restore_attribute_stats('schemaname', '${schema}', 'relname', '${table}', 'attname', '${column}',
           'inherited', false, 'null_frac', 0::real, 'avg_width', ${width}, 'n_distinct', ${pick([1, 3, 50, -1, -0.01])}::real,
           'most_common_vals', '{${values}}'::text,
           'most_common_freqs', '{${frequencies.sort(ascending).reverse()}}'::real[],
           'correlation', ${random() * 2 - 1}::real${histogram})`,
      );
    };
    await forgeColumn("status", [...statuses].sort(() => random() - 0.5).slice(0, pick([1, 2, 3])), 8);
    await forgeColumn(keyColumn, [...new Set([1, 2, 29_999].map((value) => pick([value, value + 5])))], 8);
    await forgeColumn("id", [pick([1, 7, 60_000])], 8);
  }
}

const ascending = (one: number, other: number) => one - other;

function createRandom(seed: number): () => number {
  let state = seed * 7_919 + 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) / 0x800000;
  };
}
