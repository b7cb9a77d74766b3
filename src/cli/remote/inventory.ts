import { inventoryColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";

export const inventoryCommand = remoteCommand({
  name: "inventory",
  summary: "Show the number of animals with each status.",
  async run({ output, store }) {
    return await output.item(await store.inventory.get(), inventoryColumns);
  },
});
