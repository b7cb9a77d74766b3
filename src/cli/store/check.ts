import { escapeControls } from "../../base/escape-controls.ts";
import { switchSetting } from "../../config.ts";
import type { Finding } from "../../store/check.ts";
import { checkStore } from "../../store/open-store.ts";
import { command, exitCodes } from "../command.ts";
import { databaseSetting } from "./database-settings.ts";

export const checkCommand = command({
  name: "check",
  summary: "Check the database for damage and inconsistencies, even while the service is running.",
  settings: {
    database: databaseSetting,
    replays: switchSetting("--replay", "Also rebuild the store from its events, and compare the result with its data."),
  },
  async run({ settings: { database, replays }, output }) {
    const findings = await checkStore(database, { shouldReplay: replays });
    for (const finding of findings) await output.print(escapeControls(lineOf(finding)), finding);
    return findings.some(({ problem }) => problem !== undefined) ? exitCodes.failure : exitCodes.success;
  },
});

function lineOf({ rule, problem, skipped }: Finding): string {
  if (problem !== undefined) return `WRONG    ${rule}: ${problem}`;
  return skipped === undefined ? `ok       ${rule}` : `skipped  ${rule}: ${skipped}`;
}
