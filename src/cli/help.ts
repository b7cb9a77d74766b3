import type { Operand, Setting } from "../config.ts";
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
  const operands = Object.values(command.operands).map(({ placeholder, help }): [string, string] => [
    placeholder,
    help,
  ]);
  const { json, ...own } = command.settings;
  return [
    command.summary,
    ...(command.details ? [command.details] : []),
    `Usage: animal-store ${usageOf(path, command)}${Object.keys(own).length > 0 ? " [settings]" : ""}`,
    ...(operands.length > 0 ? [twoColumns(operands)] : []),
    ...(Object.keys(own).length > 0 ? [twoColumns(Object.values(own).map(describe))] : []),
    `Like every command, it takes --json: ${commonSettings.json.help}`,
  ].join("\n\n");
}

export function usageOf(path: string, { operands, settings }: Command): string {
  const required = Object.values(settings).filter(({ isRequired }) => isRequired);
  return [
    path,
    ...Object.values(operands).map(writtenOperand),
    ...required.map(({ flag, placeholder }) => `--${flag} ${placeholder}`),
  ].join(" ");
}

export function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}

export function describe({
  flag,
  environment,
  placeholder,
  help,
  default: preset,
}: Setting<unknown>): [string, string] {
  const names = [flag && `--${flag} ${placeholder}`.trimEnd(), environment].filter(Boolean).join(", ");
  return [names, preset ? `${help} Default: ${preset}` : help];
}

function writtenOperand({ placeholder, isOptional }: Operand<unknown>): string {
  return isOptional ? `[${placeholder}]` : placeholder;
}
