import { suggestWord } from "./base/suggest-word.ts";

/** A setting of a command, by a flag or an environment variable. */
export interface Setting<Value> {
  readonly flag?: string;
  readonly environment?: string;
  readonly placeholder: string;
  readonly help: string;
  /** Completes the sentence "it must be ...". */
  readonly expects: string;
  readonly default?: string;
  /** Several values are joined by spaces. */
  readonly isRepeatable?: boolean;
  readonly isSwitch?: boolean;
  readonly isRequired?: boolean;
  /** Values that shells offer. */
  readonly choices?: readonly string[];
  /** True if the value is never printed, not even in complaints. */
  readonly secret?: boolean;
  /** True if a wrong value counts as none, because it may be meant for other programs; `ignoredSettings` reports it. */
  readonly isIgnoredIfWrong?: boolean;
  /** Completes the sentence "it ..." about a wrong text, if more can be said than what is expected. */
  complain?(text: string): string | undefined;
  parse(text: string): Value | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type SettingValues<Definitions extends Settings> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends Setting<infer Value> &
    ({ default: string } | { isRequired: true })
    ? Value
    : Definitions[Name] extends Setting<infer Value>
      ? Value | undefined
      : never;
};

/** A positional argument of a command. */
export interface Operand<Value> extends Pick<Setting<Value>, "placeholder" | "help" | "choices" | "parse"> {
  /** Completes the sentence "the command must be followed by ...". */
  readonly expects: string;
  readonly isOptional?: boolean;
  readonly isFile?: boolean;
}

export type Operands = Readonly<Record<string, Operand<unknown>>>;

export type OperandValues<Definitions extends Operands> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends Operand<infer Value>
    ? Definitions[Name] extends { isOptional: true }
      ? Value | undefined
      : Value
    : never;
};

export interface Arguments<Definitions extends Settings, Places extends Operands> {
  readonly settings: SettingValues<Definitions>;
  readonly operands: OperandValues<Places>;
  readonly sources: Readonly<Record<keyof Definitions, SettingSource | undefined>>;
}

export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** Declares a setting, and keeps its literal type, which tells whether it has a default. */
export function setting<Value, const Rest extends Omit<Setting<Value>, "parse">>(
  parse: (text: string) => Value | undefined,
  definition: Rest,
): Rest & Setting<Value> {
  return { ...definition, parse };
}

export function operand<Value, const Rest extends Omit<Operand<Value>, "parse">>(
  parse: (text: string) => Value | undefined,
  definition: Rest,
): Rest & Operand<Value> {
  return { ...definition, parse };
}

/** Reads a command's arguments and environment. A flag wins over the environment. Throws SettingsError. */
export function readArguments<Definitions extends Settings, Places extends Operands>(
  { path, settings: definitions, operands: places }: { path: string; settings: Definitions; operands: Places },
  args: readonly string[],
): Arguments<Definitions, Places> {
  const problems: string[] = [];
  const flags = readFlags(definitions, args, problems);
  // The word after an unknown flag may be its value, and deserves no complaint of its own.
  const operands = problems.length === 0 ? readOperands(path, places, flags.positionals, problems) : {};
  const sources: Record<string, SettingSource | undefined> = {};
  const settings = Object.entries(definitions).map(([name, definition]) => {
    const { text, source } = look(definition, flags.values);
    sources[name] = text === undefined ? undefined : source;
    if (text === undefined) {
      if (definition.isRequired && !flags.named.has(definition.flag)) problems.push(missing(definition));
      return [name, undefined];
    }
    const value = definition.parse(text);
    if (value !== undefined) return [name, value];
    const { isIgnoredIfWrong, default: preset } = definition;
    if (!isIgnoredIfWrong) problems.push(complaintOf(definition, text, source));
    return [name, preset === undefined ? undefined : definition.parse(preset)];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    settings: Object.freeze(Object.fromEntries(settings)),
    operands: operands as OperandValues<Places>,
    sources: sources as Arguments<Definitions, Places>["sources"],
  };
}

function readOperands(
  path: string,
  places: Operands,
  positionals: readonly string[],
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [index, [name, { expects, isOptional, parse }]] of Object.entries(places).entries()) {
    const text = positionals[index];
    values[name] = text === undefined ? undefined : parse(text);
    if (text === undefined && !isOptional) problems.push(`${path} must be followed by ${expects}.`);
    else if (text !== undefined && values[name] === undefined) {
      problems.push(`${path} must be followed by ${expects}, not ${quote(text)}.`);
    }
  }
  const more = positionals.slice(Object.keys(places).length);
  if (more.length > 0) {
    const taken = [path, ...positionals.slice(0, Object.keys(places).length)].join(" ");
    problems.push(`${taken} does not take ${quote(more.join(" "))}.`);
  }
  return values;
}

function missing({ flag, environment, help }: Setting<unknown>): string {
  return `${flag ? `--${flag}` : environment} is required: ${help.charAt(0).toLowerCase()}${help.slice(1)}`;
}

/** Lists the complaints about wrong values that readArguments ignores. */
export function ignoredSettings(definitions: Settings, args: readonly string[]): string[] {
  const { values } = readFlags(definitions, args, []);
  return Object.values(definitions).flatMap((definition) => {
    const { text, source } = look(definition, values);
    const isIgnored = definition.isIgnoredIfWrong && text !== undefined && definition.parse(text) === undefined;
    return isIgnored ? [complaintOf(definition, text, source)] : [];
  });
}

export interface SettingReport {
  readonly name: string;
  /** Null if it is not set. Secrets, and passwords in addresses, are replaced by dots. */
  readonly value: string | null;
  readonly source: SettingSource | null;
}

export type SettingSource = "flag" | "environment" | "default";

export function reportSettings(definitions: Settings, args: readonly string[]): SettingReport[] {
  const { values } = readFlags(definitions, args, []);
  return Object.values(definitions)
    .filter(({ isSwitch }) => !isSwitch)
    .map((definition) => {
      const { text, source } = look(definition, values);
      const name = definition.flag ? `--${definition.flag}` : (definition.environment ?? "");
      if (!text) return { name, value: null, source: null };
      return { name, value: definition.secret ? "..." : shownValue(definition, text), source };
    });
}

function shownValue({ isRepeatable }: Setting<unknown>, text: string): string {
  if (/^(?:sqlite:|\/(?!\/))/.test(text)) return text;
  return isRepeatable ? text.split(/\s+/).map(withoutPasswords).join(" ") : withoutPasswords(text);
}

function complaintOf(definition: Setting<unknown>, text: string, source: SettingSource): string {
  const { flag, environment, expects, secret } = definition;
  const place = source === "flag" ? `--${flag}` : environment;
  const complaint = definition.complain?.(text) ?? `must be ${expects}${secret ? "" : `, not ${quote(text)}`}`;
  return `${place} ${complaint}.`;
}

function look(
  { flag, environment, default: preset }: Setting<unknown>,
  flags: ReadonlyMap<string, string>,
): { readonly text: string | undefined; readonly source: SettingSource } {
  const fromFlag = flag ? flags.get(flag) : undefined;
  if (fromFlag !== undefined) return { text: fromFlag, source: "flag" };
  const fromEnvironment = environment ? environmentOf(environment) : undefined;
  if (fromEnvironment !== undefined) return { text: fromEnvironment, source: "environment" };
  return { text: preset, source: "default" };
}

/** Returns an environment variable; an empty one counts as unset. */
export function environmentOf(name: string): string | undefined {
  return process.env[name] || undefined;
}

type Described<Value> = Partial<Omit<Setting<Value>, "parse">> & { readonly help: string };

export function integerSetting<const Rest extends Described<number>>(
  min: number,
  max: number,
  rest: Rest,
): Rest & Setting<number> {
  return { placeholder: "NUMBER", expects: `an integer from ${min} to ${max}`, ...rest, parse: integer(min, max) };
}

export function choiceSetting<Value extends string, const Rest extends Described<Value> & { placeholder: string }>(
  values: readonly Value[],
  rest: Rest,
): Rest & Setting<Value> {
  return { expects: `one of ${values.join(", ")}`, choices: values, ...rest, parse: oneOf(values) };
}

export function textSetting<const Rest extends Described<string>>(rest: Rest): Rest & Setting<string> {
  return { placeholder: "TEXT", expects: "a non-empty text", ...rest, parse: nonEmpty };
}

/** A flag without a value. */
export function switchSetting(flag: string, help: string) {
  const parse = (text: string) => text === switchedOn;
  return setting(parse, { flag, placeholder: "", help, expects: "given or not", default: "", isSwitch: true });
}

export function nonEmpty(text: string): string | undefined {
  return text || undefined;
}

export function integer(smallest: number, largest: number): (text: string) => number | undefined {
  return (text) => (/^[0-9]{1,9}$/.test(text) && +text >= smallest && +text <= largest ? +text : undefined);
}

export function oneOf<Value extends string>(values: readonly Value[]): (text: string) => Value | undefined {
  return (text) => values.find((value) => value === text);
}

export function parseHttpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

/** Everything after `--`, and a negative number, is positional. */
function readFlags(definitions: Settings, args: readonly string[], problems: string[]) {
  const options = Object.values(definitions).filter(({ flag }) => flag !== undefined);
  const values = new Map<string, string>();
  const named = new Set<string | undefined>();
  const positionals: string[] = [];
  const end = args.indexOf("--");
  const words = end < 0 ? [...args] : args.slice(0, end);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!/^-[^\d]/.test(word)) {
      positionals.push(word);
      continue;
    }
    const [, name = word, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = options.find(({ flag }) => flag === name);
    named.add(name);
    const problem = option
      ? addValue(values, name, option, inline, words)
      : notKnown(word.replace(/=.*/s, ""), options);
    if (problem !== undefined) problems.push(problem);
  }
  if (end >= 0) positionals.push(...args.slice(end + 1));
  return { values, named, positionals };
}

/** Adds the value of a flag, which may be the next word. Returns the problem, if there is one. */
function addValue(
  values: Map<string, string>,
  name: string,
  { isSwitch, isRepeatable }: Setting<unknown>,
  inline: string | undefined,
  words: string[],
): string | undefined {
  if (isSwitch) {
    values.set(name, switchedOn);
    return inline === undefined ? undefined : `--${name} takes no value.`;
  }
  // A flag whose value was forgotten must not swallow the next flag; --name=--value is explicit.
  const value = inline ?? (words[0]?.startsWith("--") ? undefined : words.shift());
  const before = values.get(name);
  if (value === undefined) return `--${name} needs a value.`;
  if (before !== undefined && !isRepeatable) return `--${name} must be given only once.`;
  values.set(name, before === undefined ? value : `${before} ${value}`);
  return undefined;
}

const switchedOn = "on";

function notKnown(argument: string, options: readonly Setting<unknown>[]): string {
  const near = suggestWord(
    argument,
    options.map(({ flag }) => `--${flag}`),
  );
  return near === undefined ? `${argument} is unknown; see --help.` : `${argument} is unknown. Did you mean ${near}?`;
}

function quote(text: string): string {
  const shown = withoutPasswords(text);
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}...` : shown);
}

/**
 * Removes everything that may be part of a password, even in a malformed address: all up to the last @, and the values of password
 * parameters.
 */
function withoutPasswords(text: string): string {
  const [, start = "", hidden, shown = ""] = /^([a-z][a-z0-9+.-]*:\/+|\/*)(.*@)?(.*)$/is.exec(text) ?? [];
  if (hidden === undefined) return withoutParameters(text);
  // The rest of the parameter follows the @.
  const isCut = passwordParameter.test(hidden);
  return `${start}...@${withoutParameters(isCut ? shown.replace(/^[^&]*/, "...") : shown)}`;
}

function withoutParameters(text: string): string {
  return text.replace(new RegExp(passwordParameter, "gi"), "$1...");
}

const passwordParameter = /(passw(?:or)?d\s*=)[^&]*/i;
