import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { petTable } from "../tables.ts";
import { PageReader } from "./pages.ts";

test("a filter by ids is prepared once, for any number of ids", () => {
  using database = new Database(":memory:");
  database.run("CREATE TABLE pets (id INTEGER PRIMARY KEY, status TEXT)");
  database.run("INSERT INTO pets VALUES (1, 'sold'), (2, 'pending'), (3, 'sold'), (4, 'available')");
  const pages = new PageReader<{ id: number }>(database, { ...petTable, selected: "id" });
  const list = (...ids: number[]) =>
    pages
      .list(
        [
          ["id", ids],
          ["status", ["sold", "pending"]],
        ],
        { limit: 10 },
      )
      .items.map(({ id }) => id);
  expect(list(1, 4)).toEqual([1]);
  using prepared = spyOn(database, "prepare");
  expect(list(4, 3, 2)).toEqual([2, 3]);
  expect(list(1, 2, 3, 4)).toEqual([1, 2, 3]);
  expect(prepared).not.toHaveBeenCalled();
});
