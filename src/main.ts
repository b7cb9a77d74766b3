import { openApiCommand } from "./cli/openapi.ts";
import { runProgram } from "./cli/program.ts";
import { healthCommand } from "./cli/remote/health.ts";
import { doctorCommand } from "./cli/serve/doctor.ts";
import { serveCommand } from "./cli/serve/serve.ts";
import { backupCommand } from "./cli/store/backup.ts";
import { checkCommand } from "./cli/store/check.ts";
import { copyCommand } from "./cli/store/copy.ts";
import { keysCommand } from "./cli/store/keys.ts";
import { migrateCommand } from "./cli/store/migrate.ts";
import { restoreCommand } from "./cli/store/restore.ts";

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
