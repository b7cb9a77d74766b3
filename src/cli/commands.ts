import type { Commands } from "./command.ts";

/** The commands, in the order of the help. Each is loaded on demand: loading all would take longer than most commands run. */
export const commands: Commands = {
  serve: async () => (await import("./serve/serve.ts")).serveCommand,
  login: async () => (await import("./remote/profiles.ts")).loginCommand,
  logout: async () => (await import("./remote/profiles.ts")).logoutCommand,
  profiles: async () => (await import("./remote/profiles.ts")).profilesCommand,
  pets: async () => (await import("./remote/pets.ts")).petsCommands,
  orders: async () => (await import("./remote/orders.ts")).ordersCommands,
  categories: async () => (await import("./remote/categories.ts")).categoriesCommands,
  inventory: async () => (await import("./remote/pets.ts")).inventoryCommand,
  events: async () => (await import("./remote/events.ts")).eventsCommands,
  webhooks: async () => (await import("./remote/webhooks.ts")).webhooksCommands,
  keys: async () => (await import("./keys/keys.ts")).keysCommands,
  health: async () => (await import("./remote/health.ts")).healthCommand,
  doctor: async () => (await import("./serve/doctor.ts")).doctorCommand,
  migrate: async () => (await import("./store/migrate.ts")).migrateCommand,
  backup: async () => (await import("./store/backup.ts")).backupCommand,
  restore: async () => (await import("./store/restore.ts")).restoreCommand,
  compact: async () => (await import("./store/compact.ts")).compactCommand,
  check: async () => (await import("./store/check.ts")).checkCommand,
  copy: async () => (await import("./store/copy.ts")).copyCommand,
  import: async () => (await import("./catalogue/import.ts")).importCommand,
  export: async () => (await import("./catalogue/export.ts")).exportCommand,
  openapi: async () => (await import("./openapi.ts")).openApiCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
};
