import { resolve } from "node:path";
import { readArguments, switchSetting } from "../../config.ts";
import { restoreFile } from "../../store/sqlite/backup/restore.ts";
import { type Command, exitCodes } from "../command.ts";
import { pathOf } from "./backup.ts";
import { databaseSetting } from "./database-settings.ts";

const settings = {
  database: databaseSetting,
  replace: switchSetting("replace", "Replace the existing store, which is kept under another name."),
};

export const restoreCommand: Command = {
  name: "restore",
  usage: "restore FILE [settings]",
  summary: "Restore the SQLite database from a backup. Stop the service first.",
  settings,
  async run(args) {
    const { settings: given, positionals } = readArguments(settings, args, judge);
    const [backup = ""] = positionals;
    const path = pathOf(given.database, "restore");
    const { animals, bytes, keptAt } = await restoreFile(backup, path, { replace: given.replace, now: new Date() });
    console.log(`Restored ${resolve(path)} from ${resolve(backup)}: ${animals} animals, ${bytes} bytes.`);
    if (keptAt !== undefined) console.log(`What was there before is kept as ${resolve(keptAt)}.`);
    return exitCodes.success;
  },
};

function judge(positionals: readonly string[]): string[] {
  if (positionals.length === 1 && positionals[0] !== "") return [];
  return ["restore must be followed by one file, a backup."];
}
