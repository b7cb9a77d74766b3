import type { Command } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";

export const everyCommand: readonly (readonly [path: string, command: Command])[] = (
  await Promise.all(Object.values(commands).map((load) => load()))
).flatMap((found) =>
  "commands" in found
    ? found.commands.map((command) => [`${found.name} ${command.name}`, command] as const)
    : [[found.name, found] as const],
);
