/** Generates the table of all commands in docs/cli.md from the declarations of the commands. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { formatUsage } from "../src/cli/help.ts";
import { connectionSettings } from "../src/cli/remote/connection.ts";
import { serveSettings } from "../src/cli/serve/serve-settings.ts";

const guideFile = join(import.meta.dir, "../docs/cli.md");
export const [begin, end] = ["<!-- npm run cli-reference writes what follows. -->", "<!-- Until here. -->"];

if (import.meta.main) {
  const text = readFileSync(guideFile, "utf8");
  const [before = "", rest = ""] = text.split(begin);
  const [, after = ""] = rest.split(end);
  writeFileSync(guideFile, `${before}${begin}\n\n${await renderCliReference()}\n${end}${after}`);
}

export async function renderCliReference(): Promise<string> {
  const entries = await Promise.all(Object.values(commands).map((load) => load()));
  const rows = entries.flatMap((entry) =>
    "commands" in entry
      ? entry.commands.map((command) => formatRow(`${entry.name} ${command.name}`, command))
      : [formatRow(entry.name, entry)],
  );
  return ["| Command | What it does | Settings |", "|---|---|---|", ...rows, ""].join("\n");
}

function formatRow(path: string, command: Command): string {
  return `| \`${formatUsage(path, command).replaceAll("|", "\\|")}\` | ${command.summary} | ${formatSettings(command)} |`;
}

function formatSettings({ settings }: Command): string {
  const { json, ...ownSettings } = settings;
  if ("port" in ownSettings && "database" in ownSettings)
    return `the [${Object.keys(serveSettings).length} of the service](running.md#settings)`;
  const isConnected = Object.keys(connectionSettings).every((name) => name in ownSettings);
  const flags = Object.entries(ownSettings)
    .filter(([name, { isRequired }]) => !isRequired && !(isConnected && name in connectionSettings))
    .map(([, { flag, placeholder }]) => `\`${`--${flag} ${placeholder}`.trimEnd()}\``);
  return [...flags, ...(isConnected ? ["[service](#which-service)"] : [])].join(", ") || "-";
}
