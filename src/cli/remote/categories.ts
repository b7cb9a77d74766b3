import { nonEmpty, operand } from "../../config.ts";
import type { CommandGroup } from "../command.ts";
import { categoryColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";
import { firstOf, idOperand, limitSetting } from "./settings.ts";

const categoryId = idOperand("category", "categories list");

export const categoriesCommands: CommandGroup = {
  name: "categories",
  summary: "List, show, give and take away the names of categories.",
  commands: [
    remoteCommand({
      name: "list",
      summary: "List the categories that have a name.",
      settings: { limit: limitSetting },
      async run({ settings: { limit }, output, store }) {
        const { categories } = store;
        const walk = (pageSize: number) => categories.list({ limit: pageSize });
        return await output.list(firstOf(limit, walk), categoryColumns);
      },
    }),
    remoteCommand({
      name: "get",
      summary: "Show a category.",
      operands: { categoryId },
      async run({ operands: { categoryId: id }, output, store }) {
        return await output.item(await store.categories.get(id), categoryColumns);
      },
    }),
    remoteCommand({
      name: "name",
      summary: "Give a category a name, or another one.",
      operands: {
        categoryId: { ...categoryId, expects: "the id of a category, any 64-bit integer" },
        name: operand(nonEmpty, { placeholder: "NAME", help: "Its name.", expects: "an id and a name" }),
      },
      async run({ operands: { categoryId: id, name }, output, store }) {
        return await output.item(await store.categories.put(id, { name }), categoryColumns);
      },
    }),
    remoteCommand({
      name: "delete",
      summary: "Take the name of a category away. Its animals stay as they are.",
      operands: { categoryId },
      async run({ operands: { categoryId: id }, output, store }) {
        await store.categories.delete(id);
        return await output.done(`Category ${id} has no name any more.`, { id, isDeleted: true });
      },
    }),
  ],
};
