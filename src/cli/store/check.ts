import { readSettings, switchSetting } from "../../config.ts";
import { checkStore } from "../../store/open-store.ts";
import { type Command, exitCodes } from "../command.ts";
import { databaseSetting } from "./database-settings.ts";

const settings = {
  database: databaseSetting,
  replays: switchSetting("replay", "Also make the store from its events, and compare that with what is there."),
};

export const checkCommand: Command = {
  name: "check",
  usage: "check [settings]",
  summary: "Check the database for damage and inconsistencies, even while the service is running.",
  settings,
  async run(args) {
    const { database, replays } = readSettings(settings, args);
    const findings = await checkStore(database, { replays });
    for (const { rule, problem, skipped } of findings) {
      if (problem !== undefined) console.log(`WRONG    ${rule}: ${problem}`);
      else console.log(skipped === undefined ? `ok       ${rule}` : `skipped  ${rule}: ${skipped}`);
    }
    return findings.some(({ problem }) => problem !== undefined) ? exitCodes.failure : exitCodes.success;
  },
};
