import { inventoryColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";

export const inventoryCommand = remoteCommand({
  name: "inventory",
  summary: "Show how many animals there are of each status.",
  async run({ output, store }) {
    return await output.item(await store.inventory.get(), inventoryColumns);
  },
});
