import type { Command } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";

export const allCommands: readonly (readonly [path: string, command: Command])[] = (
  await Promise.all(Object.values(commands).map((load) => load()))
).flatMap((entry) =>
  "commands" in entry
    ? entry.commands.map((command) => [`${entry.name} ${command.name}`, command] as const)
    : [[entry.name, entry] as const],
);
