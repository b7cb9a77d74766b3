import type { Setting } from "../config.ts";
import { type Command, type CommandGroup, type Commands, findCommand } from "./command.ts";
import { ProfileFolder } from "./remote/profile-folder.ts";

/** Returns the completions of the last word: per line a word and, after a tab, its meaning. A colon stands for files. */
export async function findCandidates(commands: Commands, [shell, ...typed]: readonly string[]): Promise<string[]> {
  const isBash = shell === "bash";
  const [name = "", ...rest] = isBash ? joinAssignments(typed) : typed;
  const [subcommand = "", ...more] = rest;
  if (rest.length === 0) return startingWith(name, await listTopLevel(commands, isBash));
  const found = await (Object.hasOwn(commands, name) ? commands[name] : undefined)?.();
  if (!found) return name === "help" ? startingWith(subcommand, await listTopLevel(commands, isBash)) : [];
  if (!("commands" in found)) return completeArguments(found, rest, isBash);
  if (more.length === 0) return startingWith(subcommand, found.commands.map(lineOf));
  const command = findCommand(found, subcommand);
  return command ? completeArguments(command, more, isBash) : [];
}

/** bash splits `--status=sold` into three words, of which it replaces only the last. */
function joinAssignments(words: readonly string[]): string[] {
  const result: string[] = [];
  for (const [index, word] of words.entries()) {
    const isValue = words[index - 1] === "=" && result.length > 0;
    if (word === "=" || isValue) result.push(`${result.pop() ?? ""}${word}`);
    else result.push(word);
  }
  return result;
}

/** Returns only names for bash, which shows no meanings, so that it need not load all commands. */
async function listTopLevel(commands: Commands, isBash: boolean): Promise<string[]> {
  if (isBash) return [...Object.keys(commands), "help"];
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return [...loaded.map(lineOf), "help\tShow the help of a command."];
}

function completeArguments({ settings, operands }: Command, words: readonly string[], isBash: boolean): string[] {
  const options = Object.values(settings).filter(({ flag }) => flag !== undefined);
  const findOption = (word: string | undefined) => options.find(({ flag }) => `--${flag}` === word);
  /** Returns the option whose value follows the word. */
  const optionBefore = (word: string | undefined) => [findOption(word)].find((one) => one && !one.isSwitch);
  const [word = "", before] = words.toReversed();
  const earlier = words.slice(0, -1);
  const pending = optionBefore(before);
  if (pending) return startingWith(word, valuesOf(pending));
  const [, flag, value = ""] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
  const option = findOption(flag);
  if (option) {
    const values = startingWith(value, valuesOf(option));
    return isBash ? values : values.map((one) => `${flag}=${one}`);
  }
  if (word.startsWith("-")) {
    const unused = options.filter(({ flag: own, isRepeatable }) => isRepeatable || !earlier.includes(`--${own}`));
    const lines = unused.map(({ flag: own, help }) => `--${own}\t${help}`);
    return startingWith(word, [...lines, "--help\tShow the help of the command."]);
  }
  const positionals = earlier.filter((text, index) => !text.startsWith("-") && !optionBefore(earlier[index - 1]));
  const operand = Object.values(operands)[positionals.length];
  return operand?.isFile ? [":"] : startingWith(word, operand?.choices ?? []);
}

function valuesOf({ flag, choices = [] }: Setting<unknown>): readonly string[] {
  return flag === "profile" ? new ProfileFolder().names() : choices;
}

function lineOf({ name, summary }: Command | CommandGroup): string {
  return `${name}\t${summary}`;
}

function startingWith(start: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(start));
}
