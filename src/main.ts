import { runProgram } from "./cli/program.ts";

/** Each is loaded only when it is asked for, because what others need takes longer to load than most commands to run. */
const commands = {
  serve: async () => (await import("./cli/serve/serve.ts")).serveCommand,
  keys: async () => (await import("./cli/store/keys.ts")).keysCommand,
  health: async () => (await import("./cli/remote/health.ts")).healthCommand,
  doctor: async () => (await import("./cli/serve/doctor.ts")).doctorCommand,
  migrate: async () => (await import("./cli/store/migrate.ts")).migrateCommand,
  backup: async () => (await import("./cli/store/backup.ts")).backupCommand,
  restore: async () => (await import("./cli/store/restore.ts")).restoreCommand,
  check: async () => (await import("./cli/store/check.ts")).checkCommand,
  copy: async () => (await import("./cli/store/copy.ts")).copyCommand,
  openapi: async () => (await import("./cli/openapi.ts")).openApiCommand,
};

process.exit(await runProgram(commands, process.argv.slice(2)));
