import type { Setting } from "../config.ts";
import { type Command, type CommandGroup, commonSettings } from "./command.ts";
import { version } from "./version.ts";

export function formatProgramHelp(commands: readonly (Command | CommandGroup)[]): string {
  return `animal-store ${version}: the catalogue of an animal store, as a JSON API.

Usage: animal-store COMMAND [settings]

${formatTwoColumns(commands.map(({ name, summary }) => [name, summary]))}

Run animal-store COMMAND --help for what a command takes, and animal-store version for the version and commit.`;
}

export function formatGroupHelp({ name, summary, commands }: CommandGroup): string {
  return `${summary}

Usage: animal-store ${name} COMMAND [settings]

${formatTwoColumns(commands.map((command) => [formatUsage(command.name, command), command.summary]))}

Run animal-store ${name} COMMAND --help for what a command takes.`;
}

export function formatCommandHelp(path: string, command: Command): string {
  const operands = Object.values(command.operands).map(({ placeholder, help }) => [placeholder, help] as const);
  const { json, ...own } = command.settings;
  const settings = Object.values(own).map(describeSetting);
  return [
    command.summary,
    command.details,
    `Usage: animal-store ${formatUsage(path, command)}${settings.length > 0 ? " [settings]" : ""}`,
    formatTwoColumns(operands),
    formatTwoColumns(settings),
    `Like every command, it takes --json: ${commonSettings.json.help}`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function formatUsage(path: string, { operands, settings }: Command): string {
  const required = Object.values(settings).filter(({ isRequired }) => isRequired);
  const names = Object.values(operands).map(({ placeholder, isRequired }) =>
    isRequired ? placeholder : `[${placeholder}]`,
  );
  return [path, ...names, ...required.map(formatFlagUsage)].join(" ");
}

export function formatFlagUsage({ flag, placeholder }: Setting<unknown>): string {
  return `--${flag} ${placeholder}`.trimEnd();
}

function describeSetting(setting: Setting<unknown>): readonly [names: string, help: string] {
  const { flag, environment, help, default: preset } = setting;
  const names = [flag && formatFlagUsage(setting), environment].filter(Boolean).join(", ");
  return [names, preset ? `${help} Default: ${preset}` : help];
}

export function formatTwoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}
