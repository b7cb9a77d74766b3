import type { Setting } from "../config.ts";
import { type Command, type CommandGroup, type Commands, findCommand } from "./command.ts";
import { ProfileFolder } from "./remote/profile-folder.ts";

/** Returns a line for each completion: a word and, after a tab, its meaning. A colon tells the shell to complete file names instead. */
export async function findCandidates(
  commands: Commands,
  [shell, name = "", ...rest]: readonly string[],
): Promise<string[]> {
  const isBash = shell === "bash";
  const [subcommand = "", ...more] = rest;
  if (rest.length === 0) return filterByPrefix(name, await listTopLevel(commands, isBash));
  const entry = await (Object.hasOwn(commands, name) ? commands[name] : undefined)?.();
  if (!entry) return name === "help" ? filterByPrefix(subcommand, await listTopLevel(commands, isBash)) : [];
  if (!("commands" in entry)) return completeArguments(entry, rest);
  if (more.length === 0) return filterByPrefix(subcommand, entry.commands.map(formatLine));
  const command = findCommand(entry, subcommand);
  return command ? completeArguments(command, more) : [];
}

/** Returns the commands with their meanings. For bash, which shows no meanings, returns only names, so that no command has to be loaded. */
async function listTopLevel(commands: Commands, isBash: boolean): Promise<string[]> {
  if (isBash) return [...Object.keys(commands), "help"];
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return [...loaded.map(formatLine), "help\tShow the help of a command."];
}

function completeArguments({ settings, operands }: Command, words: readonly string[]): string[] {
  const options = Object.values(settings).filter(({ flag }) => flag !== undefined);
  const optionBefore = (word?: string) => options.find(({ flag, isSwitch }) => `--${flag}` === word && !isSwitch);
  const [word = "", before] = words.toReversed();
  const earlier = words.slice(0, -1);
  const pending = optionBefore(before);
  if (pending) return filterByPrefix(word, listValues(pending));
  if (word.startsWith("-")) {
    const unused = options.filter(({ flag: own, isRepeatable }) => isRepeatable || !earlier.includes(`--${own}`));
    const lines = unused.map(({ flag: own, help }) => `--${own}\t${help}`);
    return filterByPrefix(word, [...lines, "--help\tShow the help of the command."]);
  }
  const positionals = earlier.filter((text, index) => !text.startsWith("-") && !optionBefore(earlier[index - 1]));
  const operand = Object.values(operands)[positionals.length];
  return operand?.isFile ? [":"] : filterByPrefix(word, operand?.choices ?? []);
}

function listValues({ flag, choices = [] }: Setting<unknown>): readonly string[] {
  return flag === "profile" ? new ProfileFolder().names() : choices;
}

function formatLine({ name, summary }: Command | CommandGroup): string {
  return `${name}\t${summary}`;
}

function filterByPrefix(start: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(start));
}
