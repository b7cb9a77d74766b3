import { resolve } from "node:path";
import { escapeControls } from "../../base/escape-controls.ts";
import { fileOperand, switchSetting } from "../../config.ts";
import { restoreFile } from "../../store/store-files.ts";
import { command } from "../command.ts";
import { createInterruptSignal, unlessStopped } from "../terminal/interruption.ts";
import { plural } from "../terminal/plural.ts";
import { requireSqlite } from "./backup.ts";
import { databaseSetting } from "./database-settings.ts";

export const restoreCommand = command({
  name: "restore",
  summary: "Restore the SQLite database from a backup. Stop the service first.",
  settings: {
    database: databaseSetting,
    replace: switchSetting("--replace", "Replace the existing store, which is kept under another name."),
  },
  operands: { file: fileOperand("FILE", "The backup.", "one file, a backup") },
  async run({ settings: { database, replace }, operands: { file }, output }) {
    const target = requireSqlite(database, "restore");
    const signal = createInterruptSignal({ finishesCleanUp: true });
    const work = restoreFile(file, target, { shouldReplace: replace, now: new Date(), signal });
    const result = await unlessStopped(signal, "Nothing was restored.", output, work);
    const { animals, bytes } = result;
    const [path, backup] = [resolve(target), resolve(file)];
    const keptAt = result.keptAt === undefined ? null : resolve(result.keptAt);
    const lines = [`Restored ${path} from ${backup}: ${animals} ${plural(animals, "animal")}, ${bytes} bytes.`];
    if (keptAt !== null) lines.push(`The previous store is kept as ${keptAt}.`);
    return await output.print(lines.map(escapeControls).join("\n"), { path, backup, animals, bytes, keptAt });
  },
});
