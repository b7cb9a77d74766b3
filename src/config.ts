import { suggestWord } from "./base/suggest-word.ts";

/** A setting of a command, given by a flag or an environment variable. A setting that has neither is an operand. */
export interface Setting<Value> {
  readonly flag?: string | undefined;
  readonly environment?: string | undefined;
  readonly placeholder: string;
  readonly help: string;
  /** Completes the sentence "it must be ..." or, for an operand, "the command must be followed by ...". */
  readonly expects: string;
  readonly default?: string;
  /** True if the flag may be repeated. Its values are joined by spaces. */
  readonly isRepeatable?: boolean;
  readonly isSwitch?: boolean;
  readonly isFile?: boolean;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
  /** True if the value is never printed, not even in complaints. */
  readonly isSecret?: boolean;
  /** True if a wrong value counts as unset, because it may be meant for other programs. */
  readonly isIgnoredIfWrong?: boolean;
  parse(text: string): Value | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type SettingValues<Named extends Settings> = {
  readonly [Name in keyof Named]: Named[Name] extends Setting<infer Value>
    ? Named[Name] extends { default: string } | { isRequired: true }
      ? Value
      : Value | undefined
    : never;
};

export interface Arguments<Named extends Settings, Positional extends Settings> {
  readonly settings: SettingValues<Named>;
  readonly operands: SettingValues<Positional>;
  readonly sources: Readonly<Record<keyof Named, SettingSource | undefined>>;
  readonly ignored: readonly string[];
  readonly report: readonly SettingReport[];
}

export type SettingSource = "flag" | "environment" | "default";

export interface SettingReport {
  readonly name: string;
  /** Null if the setting is not set. Secrets, and passwords in addresses, are replaced by dots. */
  readonly value: string | null;
  readonly source: SettingSource | null;
}

export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(...problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }

  readonly problems: readonly string[];
}

type SettingOptions<Value> = Omit<Setting<Value>, "parse" | "flag" | "environment" | "placeholder">;

/** Creates a setting. The names `--port NUMBER, PORT` stand for a flag with a value and an environment variable. */
export function setting<Value, const Given extends SettingOptions<Value>>(
  names: string,
  parse: (text: string) => Value | undefined,
  options: Given,
): Given & Setting<Value> {
  const [, flag, placeholder = "", environment] = /^(?:--([a-z-]+) ?([A-Z-]+)?)?(?:, )?([A-Z_]+)?$/.exec(names) ?? [];
  return { ...options, flag, placeholder, environment, parse };
}

type PartialSettingOptions<Value> = Omit<SettingOptions<Value>, "expects"> & { readonly expects?: string };

export function integerSetting<const Given extends PartialSettingOptions<number>>(
  names: string,
  [min, max]: readonly [min: number, max: number],
  options: Given,
): Given & Setting<number> {
  return setting(names, integerParser(min, max), { expects: `an integer from ${min} to ${max}`, ...options });
}

export function choiceSetting<Value extends string, const Given extends PartialSettingOptions<Value>>(
  names: string,
  choices: readonly Value[],
  options: Given,
): Given & Setting<Value> {
  return setting(names, choiceParser(choices), { expects: `one of ${choices.join(", ")}`, choices, ...options });
}

export function textSetting<const Given extends PartialSettingOptions<string>>(
  names: string,
  options: Given,
): Given & Setting<string> {
  return setting(names, nonEmpty, { expects: "a non-empty text", ...options });
}

export function switchSetting(flag: string, help: string) {
  return setting(flag, (text) => text === switchedOn, { help, expects: "given or not", default: "", isSwitch: true });
}

const switchedOn = "on";

export function operand<Value, const Given extends SettingOptions<Value>>(
  placeholder: string,
  parse: (text: string) => Value | undefined,
  options: Given,
): Given & Setting<Value> & { readonly isRequired: true } {
  return { ...options, placeholder, parse, isRequired: true };
}

export function fileOperand(placeholder: string, help: string, expects: string) {
  return operand(placeholder, nonEmpty, { help, expects, isFile: true });
}

export function nonEmpty(text: string): string | undefined {
  return text || undefined;
}

export function integerParser(min: number, max: number): (text: string) => number | undefined {
  return (text) => (/^[0-9]{1,9}$/.test(text) && +text >= min && +text <= max ? +text : undefined);
}

export function choiceParser<Value extends string>(values: readonly Value[]): (text: string) => Value | undefined {
  return (text) => values.find((value) => value === text);
}

/** Returns a parser for one or more of the values, separated by commas or spaces. */
export function choicesParser<Value extends string>(values: readonly Value[]): (text: string) => Value[] | undefined {
  return (text) => {
    const parsed = text.split(/[ ,]+/).map(choiceParser(values));
    return parsed.includes(undefined) ? undefined : (parsed as Value[]);
  };
}

export function parseHttpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

/** Throws SettingsError with all problems. A flag overrides the environment. */
export function readArguments<Named extends Settings, Positional extends Settings>(
  command: { path: string; settings: Named; operands: Positional },
  args: readonly string[],
): Arguments<Named, Positional> {
  const problems: string[] = [];
  const ignored: string[] = [];
  const settings: Record<string, unknown> = {};
  const sources: Record<string, SettingSource | undefined> = {};
  const flags = readFlags(command.settings, args, problems);
  // After a wrong flag, skips complaints about its value, which looks like an operand, and about missing settings.
  const areFlagsKnown = problems.length === 0;
  const operands = areFlagsKnown ? readOperands(command, flags.positionals, problems) : {};
  for (const [name, definition] of Object.entries(command.settings)) {
    const { text, source } = findText(definition, flags.values);
    settings[name] = parse(definition, text);
    sources[name] = text === undefined ? undefined : source;
    if (text !== undefined && settings[name] === undefined) {
      (definition.isIgnoredIfWrong ? ignored : problems).push(describeProblem(definition, text, source));
      settings[name] = parse(definition, definition.default);
    } else if (text === undefined && definition.isRequired && areFlagsKnown) {
      problems.push(
        `${nameOf(definition)} is required: ${definition.help.replace(/^./, (first) => first.toLowerCase())}`,
      );
    }
  }
  if (problems.length > 0) throw new SettingsError(...problems);
  const report = Object.values(command.settings)
    .filter(({ isSwitch }) => !isSwitch)
    .map((definition) => createReport(definition, flags.values));
  return { settings, operands, sources, ignored, report } as unknown as Arguments<Named, Positional>;
}

function readOperands(
  { path, operands }: { readonly path: string; readonly operands: Settings },
  positionals: readonly string[],
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [index, [name, operand]] of Object.entries(operands).entries()) {
    const text = positionals[index];
    values[name] = parse(operand, text);
    if (values[name] !== undefined || (text === undefined && !operand.isRequired)) continue;
    const mistake = text === undefined ? "" : `, not ${quote(text)}`;
    problems.push(`${path} must be followed by ${operand.expects}${mistake}.`);
  }
  const count = Object.keys(operands).length;
  const surplus = positionals.slice(count);
  if (surplus.length > 0) {
    problems.push(`${[path, ...positionals.slice(0, count)].join(" ")} does not take ${quote(surplus.join(" "))}.`);
  }
  return values;
}

function parse(definition: Pick<Setting<unknown>, "parse">, text: string | undefined): unknown {
  return text === undefined ? undefined : definition.parse(text);
}

function nameOf({ flag, environment = "" }: Setting<unknown>): string {
  return flag ? `--${flag}` : environment;
}

function createReport(definition: Setting<unknown>, flags: Flags): SettingReport {
  const name = nameOf(definition);
  const { text, source } = findText(definition, flags);
  if (!text) return { name, value: null, source: null };
  return { name, value: definition.isSecret ? "..." : redactValue(definition, text), source };
}

function redactValue({ isRepeatable }: Setting<unknown>, text: string): string {
  if (/^(?:sqlite:|\/(?!\/))/.test(text)) return text;
  return isRepeatable ? text.split(/\s+/).map(hidePasswords).join(" ") : hidePasswords(text);
}

function describeProblem(definition: Setting<unknown>, text: string, source: SettingSource): string {
  const { flag, environment, expects, isSecret } = definition;
  const name = source === "flag" ? `--${flag}` : environment;
  return `${name} must be ${expects}${isSecret ? "" : `, not ${quote(text)}`}.`;
}

type Flags = ReadonlyMap<string | undefined, string>;

function findText(
  { flag, environment, default: preset }: Setting<unknown>,
  flags: Flags,
): { readonly text: string | undefined; readonly source: SettingSource } {
  const fromFlag = flags.get(flag);
  if (fromFlag !== undefined) return { text: fromFlag, source: "flag" };
  const fromEnvironment = environment && readEnvironment(environment);
  return fromEnvironment ? { text: fromEnvironment, source: "environment" } : { text: preset, source: "default" };
}

export function readEnvironment(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Separates flags from positionals: negative numbers, and everything after `--`, are positional. */
function readFlags(definitions: Settings, args: readonly string[], problems: string[]) {
  const options = Object.values(definitions).filter(({ flag }) => flag !== undefined);
  const values = new Map<string | undefined, string>();
  const positionals: string[] = [];
  const end = args.indexOf("--");
  const words = end < 0 ? [...args] : args.slice(0, end);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!/^-[^\d]/.test(word)) {
      positionals.push(word);
      continue;
    }
    const [, name = word, inlineValue] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = options.find(({ flag }) => flag === name);
    const problem = option
      ? addValue(values, option, inlineValue, words)
      : explainFlag(word.replace(/=.*/s, ""), options);
    if (problem !== undefined) problems.push(problem);
  }
  if (end >= 0) positionals.push(...args.slice(end + 1));
  return { values, positionals };
}

function addValue(
  values: Map<string | undefined, string>,
  { flag, isSwitch, isRepeatable }: Setting<unknown>,
  inlineValue: string | undefined,
  words: string[],
): string | undefined {
  if (isSwitch) {
    values.set(flag, switchedOn);
    return inlineValue === undefined ? undefined : `--${flag} takes no value.`;
  }
  // A flag whose value was forgotten must not swallow the next flag; --name=--value is explicit.
  const value = inlineValue ?? (words[0]?.startsWith("--") ? undefined : words.shift());
  const before = values.get(flag);
  if (value === undefined) return `--${flag} needs a value.`;
  if (before !== undefined && !isRepeatable) return `--${flag} must be given only once.`;
  values.set(flag, before === undefined ? value : `${before} ${value}`);
  return undefined;
}

function explainFlag(argument: string, options: readonly Setting<unknown>[]): string {
  const flags = options.map(({ flag }) => `--${flag}`);
  const guess = suggestWord(argument, flags);
  return guess === undefined ? `${argument} is unknown; see --help.` : `${argument} is unknown. Did you mean ${guess}?`;
}

function quote(text: string): string {
  const shown = hidePasswords(text);
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}...` : shown);
}

/** Hides possible passwords, even in a malformed address: all text up to the last @, and the values of password parameters. */
function hidePasswords(text: string): string {
  const [, start = "", hidden, shown = ""] = /^([a-z][a-z0-9+.-]*:\/+|\/*)(.*@)?(.*)$/is.exec(text) ?? [];
  if (hidden === undefined) return hidePasswordParameters(text);
  // If the last @ is part of a password parameter, the rest of the password follows the @, and is hidden as well.
  const isPasswordCut = passwordParameterPattern.test(hidden);
  return `${start}...@${hidePasswordParameters(isPasswordCut ? shown.replace(/^[^&]*/, "...") : shown)}`;
}

function hidePasswordParameters(text: string): string {
  return text.replace(new RegExp(passwordParameterPattern, "gi"), "$1...");
}

const passwordParameterPattern = /(passw(?:or)?d\s*=)[^&]*/i;
