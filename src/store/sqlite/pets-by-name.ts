import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { endOfPrefix, foldName, foldUnlessAscii } from "../../domain/folded-name.ts";
import { type Page, type PageRequest, pageByName } from "../../domain/page.ts";
import type { Pet } from "../../domain/pet.ts";
import { boundLimit, type PageReader } from "./pages.ts";

/** A page of the animals whose names begin so, by folded name and id. */
export function listByName(
  pets: PageReader<Pet>,
  beginning: string,
  { limit, after, afterName }: PageRequest,
): Page<Pet> {
  const prefix = foldName(beginning);
  const walk = (tests: string, values: (string | Int64)[], order: string, most: number) =>
    pets.select<NamedPet>(
      `SELECT ${pets.columns}, ${foldedName} AS foldedName FROM pets INDEXED BY pets_by_name WHERE ${tests} ORDER BY ${order} ${boundLimit}`,
      [...values, most],
    );
  const end = endOfPrefix(prefix);
  const walkOn = (comparison: ">" | ">=", start: string, most: number) =>
    end === undefined
      ? walk(`${foldedName} ${comparison} ?`, [start], "foldedName, id", most)
      : walk(`${foldedName} ${comparison} ? AND ${foldedName} < ?`, [start, end], "foldedName, id", most);
  const rows: NamedPet[] = [];
  if (after === undefined || afterName === undefined) rows.push(...walkOn(">=", prefix, limit + 1));
  else {
    // One statement for both would sort all of the same name first.
    rows.push(...walk(`${foldedName} = ? AND id > ?`, [afterName, after], "id", limit + 1));
    if (rows.length <= limit) rows.push(...walkOn(">", afterName, limit + 1 - rows.length));
  }
  return pageByName(
    rows.map(({ foldedName, ...item }) => ({ item, foldedName })),
    limit,
  );
}

/** The migration to a store in which animals can be found by name. */
export function indexNames(database: Database): void {
  const beyondAscii = "length(CAST(name AS BLOB)) > length(name)";
  using find = database.prepare<{ id: number; name: string }, [number]>(
    `SELECT id, name FROM pets WHERE id > ? AND ${beyondAscii} ORDER BY id LIMIT 1000`,
  );
  using fold = database.prepare("UPDATE pets SET folded_name = ?2 WHERE id = ?1");
  for (let rows = find.all(0); rows.length > 0; rows = find.all(rows.at(-1)?.id ?? 0)) {
    for (const { id, name } of rows) fold.run(id, foldUnlessAscii(name));
  }
  database.run(`CREATE INDEX pets_by_name ON pets (${foldedName})`);
}

/** As the index has it. */
const foldedName = "coalesce(folded_name, lower(name))";

interface NamedPet extends Pet {
  readonly foldedName: string;
}
