import { backupCommand } from "./cli/backup.ts";
import { checkCommand } from "./cli/check.ts";
import { copyCommand } from "./cli/copy.ts";
import { doctorCommand } from "./cli/doctor.ts";
import { healthCommand } from "./cli/health.ts";
import { keysCommand } from "./cli/keys.ts";
import { migrateCommand } from "./cli/migrate.ts";
import { openApiCommand } from "./cli/openapi.ts";
import { runProgram } from "./cli/program.ts";
import { restoreCommand } from "./cli/restore.ts";
import { serveCommand } from "./cli/serve.ts";

process.exit(
  await runProgram(
    [
      serveCommand,
      keysCommand,
      healthCommand,
      doctorCommand,
      migrateCommand,
      backupCommand,
      restoreCommand,
      checkCommand,
      copyCommand,
      openApiCommand,
    ],
    process.argv.slice(2),
  ),
);
