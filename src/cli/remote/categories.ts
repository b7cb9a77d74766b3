import { nonEmpty, operand } from "../../config.ts";
import type { CommandGroup } from "../command.ts";
import { categoryColumns } from "./columns.ts";
import { deleteCommand, getCommand, itemCommand, listCommand } from "./remote-command.ts";
import { idOperand, nameSetting } from "./settings.ts";

const categoryId = idOperand("category", "categories list");

export const categoriesCommands: CommandGroup = {
  name: "categories",
  summary: "List, show, set and delete the names of categories.",
  commands: [
    listCommand({
      name: "list",
      summary: "List the categories that have a name.",
      settings: { name: nameSetting("Only categories whose names start with this, sorted by name.") },
      columns: categoryColumns,
      call: ({ categories }, filter, page) => categories.list({ ...filter, ...page }),
    }),
    getCommand("a category", categoryId, categoryColumns, ({ categories }, id) => categories.get(id)),
    itemCommand({
      name: "name",
      summary: "Set the name of a category.",
      operands: {
        id: { ...categoryId, expects: "the id of a category, any 64-bit integer" },
        name: operand("NAME", nonEmpty, { help: "Its name.", expects: "an id and a name" }),
      },
      columns: categoryColumns,
      call: ({ categories }, { id, name }) => categories.put(id, { name }),
    }),
    deleteCommand(
      "Delete the name of a category. Its animals do not change.",
      categoryId,
      "the name of category",
      ({ categories }, id) => categories.delete(id),
    ),
  ],
};
