import { nonEmpty, operand } from "../../config.ts";
import type { CommandGroup } from "../command.ts";
import { categoryColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";
import { firstOf, idOperand, limitSetting, nameSetting } from "./settings.ts";

const categoryId = idOperand("category", "categories list");

export const categoriesCommands: CommandGroup = {
  name: "categories",
  summary: "List, show, set and delete the names of categories.",
  commands: [
    remoteCommand({
      name: "list",
      summary: "List the categories that have a name.",
      settings: {
        name: { ...nameSetting, help: "Only categories whose names start with this, sorted by name." },
        limit: limitSetting,
      },
      async run({ settings: { name, limit }, output, store }) {
        const { categories } = store;
        const walk = (pageSize: number) => categories.list({ name, limit: pageSize });
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
      summary: "Set the name of a category.",
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
      summary: "Delete the name of a category. Its animals do not change.",
      operands: { categoryId },
      async run({ operands: { categoryId: id }, output, store }) {
        await store.categories.delete(id);
        return await output.done(`Deleted the name of category ${id}.`, { id, isDeleted: true });
      },
    }),
  ],
};
