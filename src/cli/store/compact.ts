import { resolve } from "node:path";
import { compactFile } from "../../store/store-files.ts";
import { command } from "../command.ts";
import { createInterruptSignal, unlessStopped } from "../terminal/interruption.ts";
import { requireSqlite, withProgress } from "./backup.ts";
import { databaseSetting } from "./database-settings.ts";

export const compactCommand = command({
  name: "compact",
  summary: "Reclaim the unused space in the SQLite database. Stop the service first.",
  settings: { database: databaseSetting },
  async run({ settings: { database }, output }) {
    const path = requireSqlite(database, "compact");
    const onNeed = (needed: number, free: number) => {
      if (!output.isJson) output.note(`Compacting takes up to ${needed} bytes in its folder, where ${free} are free.`);
    };
    const signal = createInterruptSignal({ finishesCleanUp: true });
    const work = withProgress("Compacting", signal, (options) => compactFile(path, options, onNeed));
    const [before, after] = await unlessStopped(signal, "Nothing was changed.", output, work);
    const text = `Compacted ${resolve(path)}: ${after} bytes, ${before - after} bytes less than before.`;
    return await output.print(text, { path: resolve(path), bytesBefore: before, bytes: after });
  },
});
