import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { endOfPrefix, foldName, foldUnlessAscii } from "../../domain/folded-name.ts";
import { type Page, type PageRequest, toPageByName } from "../../domain/page.ts";
import { boundLimit, type PageReader } from "./pages.ts";

export function listByName<Item extends { readonly id: Int64 }>(
  reader: PageReader<Item>,
  prefix: string,
  { limit, after, afterName }: PageRequest,
): Page<Item> {
  const { table, selected } = reader;
  const first = foldName(prefix);
  const end = endOfPrefix(first);
  const select = (tests: string, values: (string | Int64)[], order: string, maxRows: number) =>
    reader.select<Named<Item>>(
      `SELECT ${selected}, ${foldedName} AS foldedName FROM ${table} INDEXED BY ${table}_by_name WHERE ${tests} ORDER BY ${order} ${boundLimit}`,
      [...values, maxRows],
    );
  const selectFrom = (comparison: ">" | ">=", start: string, maxRows: number) => {
    const [belowEnd, ends] = end === undefined ? ["", []] : [`AND ${foldedName} < ?`, [end]];
    return select(`${foldedName} ${comparison} ? ${belowEnd}`, [start, ...ends], "foldedName, id", maxRows);
  };
  const rows: Named<Item>[] = [];
  if (after === undefined || afterName === undefined) rows.push(...selectFrom(">=", first, limit + 1));
  else {
    // A single statement for both parts would first sort all rows of the same name.
    rows.push(...select(`${foldedName} = ? AND id > ?`, [afterName, after], "id", limit + 1));
    if (rows.length <= limit) rows.push(...selectFrom(">", afterName, limit + 1 - rows.length));
  }
  return toPageByName(
    rows.map(({ foldedName, ...item }) => ({ item: item as unknown as Item, foldedName })),
    limit,
  );
}

export function indexNames(database: Database, table: NamedTable): void {
  foldNames(database, table);
  database.run(`CREATE INDEX ${table}_by_name ON ${table} (${foldedName})`);
}

/** Folds the names that earlier programs have not folded, or folded differently. */
export function foldNames(database: Database, table: NamedTable): void {
  const beyondAscii = "length(CAST(name AS BLOB)) > length(name)";
  const find = (bound: string) =>
    database
      .prepare<{ id: bigint; name: string }, bigint[]>(
        `SELECT id, name FROM ${table} WHERE ${bound}${beyondAscii} ORDER BY id LIMIT 1000`,
      )
      .safeIntegers(true);
  using first = find("");
  using next = find("id > ? AND ");
  using fold = database.prepare(`UPDATE ${table} SET folded_name = ?2 WHERE id = ?1 AND folded_name IS NOT ?2`);
  for (let rows = first.all(); rows.length > 0; rows = next.all(rows.at(-1)?.id ?? 0n)) {
    for (const { id, name } of rows) fold.run(id, foldUnlessAscii(name));
  }
}

type NamedTable = "pets" | "categories";

const foldedName = "coalesce(folded_name, lower(name))";

type Named<Item> = Item & { readonly foldedName: string };
