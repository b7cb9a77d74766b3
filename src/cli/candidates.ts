import type { Setting } from "../config.ts";
import { type Command, type CommandGroup, type Commands, findCommand } from "./command.ts";
import { ProfileFolder } from "./remote/profile-folder.ts";

/** Returns the completions of the last word: per line a word and, after a tab, its meaning. A colon stands for files. */
export async function candidates(commands: Commands, [shell, ...typed]: readonly string[]): Promise<string[]> {
  const words = shell === "bash" ? joined(typed) : typed;
  const [name = "", ...rest] = words;
  if (words.length <= 1) return (await topLevel(commands, shell)).filter(beginsWith(name));
  const found = await (Object.hasOwn(commands, name) ? commands[name] : undefined)?.();
  if (!found) return name === "help" ? (await topLevel(commands, shell)).filter(beginsWith(rest[0])) : [];
  if (!("commands" in found)) return ofCommand(found, rest, shell);
  const [subcommand = "", ...more] = rest;
  if (rest.length === 1) return found.commands.map(lineOf).filter(beginsWith(subcommand));
  const command = findCommand(found, subcommand);
  return command ? ofCommand(command, more, shell) : [];
}

/** bash splits `--status=sold` into three words, of which it replaces only the last. */
function joined(words: readonly string[]): string[] {
  const result: string[] = [];
  for (const [index, word] of words.entries()) {
    const isValue = words[index - 1] === "=" && result.length > 0;
    if (word === "=" || isValue) result.push(`${result.pop() ?? ""}${word}`);
    else result.push(word);
  }
  return result;
}

/** bash does not show meanings, so it need not wait until all commands are loaded. */
async function topLevel(commands: Commands, shell: string | undefined): Promise<string[]> {
  if (shell === "bash") return [...Object.keys(commands), "help"];
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return [...loaded.map(lineOf), "help\tShow the help of a command."];
}

function ofCommand({ settings, operands }: Command, words: readonly string[], shell: string | undefined): string[] {
  const options = Object.values(settings).filter(({ flag }) => flag !== undefined);
  const byFlag = (word: string | undefined) => options.find(({ flag }) => `--${flag}` === word);
  const word = words.at(-1) ?? "";
  const before = byFlag(words.at(-2));
  if (before && !before.isSwitch) return valuesOf(before).filter(beginsWith(word));
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
  const option = byFlag(flag);
  if (option) {
    const values = valuesOf(option).filter(beginsWith(value));
    return shell === "bash" ? values : values.map((one) => `${flag}=${one}`);
  }
  if (word.startsWith("-")) {
    const unused = options.filter(
      ({ flag: own, isRepeatable }) => isRepeatable || !words.slice(0, -1).includes(`--${own}`),
    );
    return [
      ...unused.map(({ flag: own, help }) => `--${own}\t${help}`),
      "--help\tShow the help of the command.",
    ].filter(beginsWith(word));
  }
  const place = positionals(words.slice(0, -1), byFlag).length;
  const operand = Object.values(operands)[place];
  return operand?.isFile ? [":"] : (operand?.choices ?? []).filter(beginsWith(word));
}

function valuesOf({ flag, choices }: Setting<unknown>): readonly string[] {
  return flag === "profile" ? new ProfileFolder().names() : (choices ?? []);
}

function positionals(
  words: readonly string[],
  byFlag: (word: string | undefined) => Setting<unknown> | undefined,
): readonly string[] {
  return words.filter((word, index) => {
    const before = byFlag(words[index - 1]);
    return !word.startsWith("-") && !(before && !before.isSwitch);
  });
}

function lineOf({ name, summary }: Command | CommandGroup): string {
  return `${name}\t${summary}`;
}

function beginsWith(start = ""): (line: string) => boolean {
  return (line) => line.startsWith(start);
}
