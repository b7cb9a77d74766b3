import type { Database } from "bun:sqlite";
import { type Category, noSuchCategory } from "../../domain/category.ts";
import { categoryNamed, categoryUnnamed } from "../../domain/event.ts";
import { requireExpected } from "../../domain/expectation.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import type { CategoryStore } from "../store.ts";
import { categoryTable } from "../tables.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";

export function categoryReader(database: Database): PageReader<Category> {
  return new PageReader<Category>(database, categoryTable);
}

export function prepareCategoryWrites(database: Database) {
  const categories = categoryReader(database);
  const put = database.prepare(
    "INSERT INTO categories (id, name, folded_name) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name",
  );
  const remove = database.prepare("DELETE FROM categories WHERE id = ?");
  return {
    putCategory([category, expected]: Parameters<CategoryStore["put"]>, log: Log): boolean {
      const current = categories.get(category.id);
      requireExpected(current, expected);
      put.run(category.id, category.name, foldUnlessAscii(category.name));
      log(categoryNamed(current, category));
      return current === undefined;
    },
    deleteCategory([id, expected]: Parameters<CategoryStore["delete"]>, log: Log): void {
      const current = categories.get(id);
      if (!current) throw noSuchCategory(id);
      requireExpected(current, expected);
      remove.run(id);
      log(categoryUnnamed(current));
    },
  };
}
