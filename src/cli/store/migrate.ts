import { switchSetting } from "../../config.ts";
import { openExistingStore, openStore, planMigration } from "../../store/open-store.ts";
import { command } from "../command.ts";
import { databaseSetting } from "./database-settings.ts";
import { openForCommand } from "./open-for-command.ts";

export const migrateCommand = command({
  name: "migrate",
  summary: "Bring the database schema up to date, as serve does on startup.",
  settings: { database: databaseSetting, dryRun: switchSetting("--dry-run", "Only show what would be done.") },
  async run({ settings: { database, dryRun }, output }) {
    const { pending, isNewer, missingGrants } = await planMigration(database);
    if (!dryRun) {
      // Creates a missing PostgreSQL schema, but no SQLite file, because only the user of the service should own that file.
      await using _ = await openForCommand(database.kind === "sqlite" ? openExistingStore : openStore, database);
    }
    const verb = dryRun ? "Pending" : "Done";
    const lines = [
      ...pending.map(({ name, isOnline }) => `${verb}: ${name} (${isOnline ? "online" : "not online"})`),
      ...missingGrants.map((statement) => `Missing grant: ${statement}`),
    ];
    const nothing = isNewer
      ? "The schema is newer than this program, but compatible with it."
      : "The schema is up to date.";
    const result = { isDone: !dryRun, migrations: pending, isNewer, missingGrants: missingGrants };
    return await output.print(lines.length > 0 ? lines.join("\n") : nothing, result);
  },
});
