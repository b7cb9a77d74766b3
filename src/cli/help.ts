import type { Setting } from "../config.ts";
import { type Command, type CommandGroup, commonSettings } from "./command.ts";
import { version } from "./version.ts";

export function programHelp(commands: readonly (Command | CommandGroup)[]): string {
  return `animal-store ${version}: the catalogue of an animal store, as a JSON API.

Usage: animal-store COMMAND [settings]

${twoColumns(commands.map(({ name, summary }) => [name, summary]))}

Run animal-store COMMAND --help for what a command takes, and animal-store version for the version and commit.`;
}

export function groupHelp({ name, summary, commands }: CommandGroup): string {
  return `${summary}

Usage: animal-store ${name} COMMAND [settings]

${twoColumns(commands.map((command) => [usageOf(command.name, command), command.summary]))}

Run animal-store ${name} COMMAND --help for what a command takes.`;
}

export function commandHelp(path: string, command: Command): string {
  const operands = Object.values(command.operands).map(({ placeholder, help }) => [placeholder, help] as const);
  const { json, ...own } = command.settings;
  const settings = Object.values(own).map(describe);
  return [
    command.summary,
    command.details,
    `Usage: animal-store ${usageOf(path, command)}${settings.length > 0 ? " [settings]" : ""}`,
    twoColumns(operands),
    twoColumns(settings),
    `Like every command, it takes --json: ${commonSettings.json.help}`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function usageOf(path: string, { operands, settings }: Command): string {
  const required = Object.values(settings).filter(({ isRequired }) => isRequired);
  const names = Object.values(operands).map(({ placeholder, isRequired }) =>
    isRequired ? placeholder : `[${placeholder}]`,
  );
  return [path, ...names, ...required.map(usageOfFlag)].join(" ");
}

export function usageOfFlag({ flag, placeholder }: Setting<unknown>): string {
  return `--${flag} ${placeholder}`.trimEnd();
}

function describe(setting: Setting<unknown>): readonly [names: string, help: string] {
  const { flag, environment, help, default: preset } = setting;
  const names = [flag && usageOfFlag(setting), environment].filter(Boolean).join(", ");
  return [names, preset ? `${help} Default: ${preset}` : help];
}

export function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}
