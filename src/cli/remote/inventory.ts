import { inventoryColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";
import { categorySetting } from "./settings.ts";

export const inventoryCommand = remoteCommand({
  name: "inventory",
  summary: "Show the number of animals with each status.",
  settings: {
    category: {
      ...categorySetting,
      help: "Only animals of the category with this id; 1000 stands for that many or more.",
    },
  },
  async run({ settings: { category }, output, store }) {
    const { inventory } = store;
    const counts = await (category === undefined ? inventory.get() : inventory.ofCategory(category));
    return await output.item(counts, inventoryColumns);
  },
});
