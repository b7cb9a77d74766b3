import { resolve } from "node:path";
import { compactFile } from "../../store/store-files.ts";
import { command } from "../command.ts";
import { createStopSignal, reportStop } from "../terminal/interruption.ts";
import { requireSqlite, withProgress } from "./backup.ts";
import { databaseSetting } from "./database-settings.ts";

export const compactCommand = command({
  name: "compact",
  summary: "Reclaim the unused space in the SQLite database. Stop the service first.",
  settings: { database: databaseSetting },
  async run({ settings: { database }, output }) {
    const path = requireSqlite(database, "compact", "On PostgreSQL, VACUUM is PostgreSQL's own task.");
    const onNeed = (needed: number, free: number) => {
      if (!output.isJson) output.note(`Compacting takes up to ${needed} bytes in its folder, where ${free} are free.`);
    };
    const signal = createStopSignal();
    const sizes = await withProgress("Compacting", signal, (options) => compactFile(path, options, onNeed));
    if (!sizes) return reportStop(signal, "Nothing was changed.", output);
    const [before, after] = sizes;
    const text = `Compacted ${resolve(path)}: ${after} bytes, ${before - after} bytes less than before.`;
    return await output.text(text, { path: resolve(path), bytesBefore: before, bytes: after });
  },
});
