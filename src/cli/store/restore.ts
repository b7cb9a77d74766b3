import { resolve } from "node:path";
import { escapeControls } from "../../base/escape-controls.ts";
import { nonEmpty, operand, switchSetting } from "../../config.ts";
import { type RestoreDone, restoreFile } from "../../store/store-files.ts";
import { command } from "../command.ts";
import { stopped, untilToldToStop } from "../terminal/interruption.ts";
import type { Output } from "../terminal/output.ts";
import { plural } from "../terminal/plural.ts";
import { pathOf } from "./backup.ts";
import { databaseSetting } from "./database-settings.ts";

const settings = {
  database: databaseSetting,
  replace: switchSetting("replace", "Replace the existing store, which is kept under another name."),
};

export const restoreCommand = command({
  name: "restore",
  summary: "Restore the SQLite database from a backup. Stop the service first.",
  settings,
  operands: {
    backup: operand(nonEmpty, {
      placeholder: "FILE",
      help: "The backup.",
      expects: "one file, a backup",
      isFile: true,
    }),
  },
  async run({ settings: given, operands: { backup }, output }) {
    const path = pathOf(given.database, "restore");
    const signal = untilToldToStop();
    let done: RestoreDone;
    try {
      done = await restoreFile(backup, path, { replace: given.replace, now: new Date(), signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      return stopped(signal, "Nothing was restored.", output);
    }
    return await tell(backup, path, done, output);
  },
});

async function tell(backup: string, path: string, { animals, bytes, keptAt }: RestoreDone, output: Output) {
  const lines = [
    `Restored ${resolve(path)} from ${resolve(backup)}: ${animals} ${plural(animals, "animal")}, ${bytes} bytes.`,
  ];
  if (keptAt !== undefined) lines.push(`The previous store is kept as ${resolve(keptAt)}.`);
  const kept = keptAt === undefined ? null : resolve(keptAt);
  return await output.text(lines.map(escapeControls).join("\n"), {
    path: resolve(path),
    backup: resolve(backup),
    animals,
    bytes,
    keptAt: kept,
  });
}
