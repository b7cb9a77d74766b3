import { nearest } from "./base/nearest.ts";

/** One thing that a command can be told, by a flag or by the environment. */
export interface Setting<Value> {
  readonly flag?: string;
  readonly environment?: string;
  /** What stands for the value in the help. */
  readonly placeholder: string;
  readonly help: string;
  /** Ends the sentence "it must be ...". */
  readonly expects: string;
  /** As it would be written on the command line. */
  readonly default?: string;
  /** Several values are joined by spaces. */
  readonly isRepeatable?: boolean;
  /** A switch takes no value: it is given or not. */
  readonly isSwitch?: boolean;
  /** Without it, the command cannot be run. */
  readonly isRequired?: boolean;
  /** The values, if they can be listed; shells offer them. */
  readonly choices?: readonly string[];
  /** A secret is never repeated, not even when it is wrong. */
  readonly secret?: boolean;
  /** A wrong value is taken for none, because it may be meant for other programs; `ignoredSettings` tells of it. */
  readonly isIgnoredIfWrong?: boolean;
  /** Ends the sentence "it ..." about a text that is not a value, if more can be said than what is expected. */
  complain?(text: string): string | undefined;
  /** Undefined if the text is not a value of the setting. */
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

/** What follows the name of a command by its place alone. */
export interface Operand<Value> extends Pick<Setting<Value>, "placeholder" | "help" | "choices" | "parse"> {
  /** Ends the sentence "the command must be followed by ...". */
  readonly expects: string;
  readonly isOptional?: boolean;
  /** Shells offer files. */
  readonly isFile?: boolean;
}

/** In the order in which they are written. */
export type Operands = Readonly<Record<string, Operand<unknown>>>;

export type OperandValues<Definitions extends Operands> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends Operand<infer Value>
    ? Definitions[Name] extends { isOptional: true }
      ? Value | undefined
      : Value
    : never;
};

/** What a command can be told. */
export interface Taken<Definitions extends Settings, Places extends Operands> {
  /** As it is typed, such as `keys create`. */
  readonly path: string;
  readonly settings: Definitions;
  readonly operands: Places;
}

/** What a command was told. */
export interface Arguments<Definitions extends Settings, Places extends Operands> {
  readonly settings: SettingValues<Definitions>;
  readonly operands: OperandValues<Places>;
  /** Where each setting comes from; undefined for one that is not set. */
  readonly sources: Readonly<Record<keyof Definitions, SettingSource | undefined>>;
}

/** Everything that is wrong with the command line and the environment, one line each. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** Keeps the type of each definition, above all whether it has a default. */
export function setting<Value, const Rest extends Omit<Setting<Value>, "parse">>(
  parse: (text: string) => Value | undefined,
  definition: Rest,
): Rest & Setting<Value> {
  return { ...definition, parse };
}

/** Keeps the type of an operand. */
export function operand<Value, const Rest extends Omit<Operand<Value>, "parse">>(
  parse: (text: string) => Value | undefined,
  definition: Rest,
): Rest & Operand<Value> {
  return { ...definition, parse };
}

/** Reads a command's arguments and environment. A flag wins over the environment. Throws SettingsError. */
export function readArguments<Definitions extends Settings, Places extends Operands>(
  { path, settings: definitions, operands: places }: Taken<Definitions, Places>,
  args: readonly string[],
): Arguments<Definitions, Places> {
  const problems: string[] = [];
  const flags = readFlags(definitions, args, problems);
  // What follows a flag that is not known may be its value, and not worth a line of its own.
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

/** What is wrong with values that readArguments has taken for none. */
export function ignoredSettings(definitions: Settings, args: readonly string[]): string[] {
  const { values } = readFlags(definitions, args, []);
  return Object.values(definitions).flatMap((definition) => {
    const { text, source } = look(definition, values);
    const isIgnored = definition.isIgnoredIfWrong && text !== undefined && definition.parse(text) === undefined;
    return isIgnored ? [complaintOf(definition, text, source)] : [];
  });
}

/** What a setting is, for people to see, and where that comes from. */
export interface SettingReport {
  readonly name: string;
  /** Null if it is not set. Of a secret, and of a password in an address, there are dots. */
  readonly value: string | null;
  readonly source: SettingSource | null;
}

export type SettingSource = "flag" | "environment" | "default";

/** The settings as readArguments reads them, as text. */
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

/** Of a value that is right, more is certain: what is a path, and where one address of several ends. */
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

/** A variable of the environment; an empty one is taken for none. */
export function environmentOf(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** On if its flag is given. */
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

/** Null unless it is an http or https URL. */
export function parseHttpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

/** Whatever follows `--` is no flag, and neither is a negative number. */
function readFlags(definitions: Settings, args: readonly string[], problems: string[]) {
  const options = Object.values(definitions).filter(({ flag }) => flag !== undefined);
  const values = new Map<string, string>();
  const named = new Set<string | undefined>();
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      positionals.push(...args.slice(index + 1));
      break;
    }
    if (!/^-[^\d]/.test(arg)) {
      positionals.push(arg);
      continue;
    }
    const [, name = arg, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const option = options.find(({ flag }) => flag === name);
    const before = values.get(name);
    named.add(name);
    if (!option) problems.push(notKnown(arg.replace(/=.*/s, ""), options));
    else if (option.isSwitch) {
      if (inline !== undefined) problems.push(`--${name} takes no value.`);
      values.set(name, switchedOn);
    } else {
      const next = args[index + 1];
      // A flag whose value was forgotten must not swallow the next one; --name=--value says that it is meant.
      const value = inline ?? (next?.startsWith("--") ? undefined : next);
      if (inline === undefined && value !== undefined) index++;
      if (value === undefined) problems.push(`--${name} needs a value.`);
      else if (before === undefined) values.set(name, value);
      else if (option.isRepeatable) values.set(name, `${before} ${value}`);
      else problems.push(`--${name} must be given only once.`);
    }
  }
  return { values, named, positionals };
}

const switchedOn = "on";

function notKnown(argument: string, options: readonly Setting<unknown>[]): string {
  const near = nearest(
    argument,
    options.map(({ flag }) => `--${flag}`),
  );
  return near === undefined ? `${argument} is unknown; see --help.` : `${argument} is unknown. Did you mean ${near}?`;
}

/** Repeats what was given, but for a password in an address. */
function quote(text: string): string {
  const shown = withoutPasswords(text);
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}...` : shown);
}

/**
 * Also of an address that is mistyped, or whose password has characters that it should not have. What may be a part of a
 * password is left out, even if more is lost with it: all up to the last @, and all of a parameter that is a password.
 */
function withoutPasswords(text: string): string {
  const [, start = "", hidden, shown = ""] = /^([a-z][a-z0-9+.-]*:\/+|\/*)(.*@)?(.*)$/is.exec(text) ?? [];
  if (hidden === undefined) return withoutParameters(text);
  // An @ within such a parameter has the rest of it behind it.
  const isCut = passwordParameter.test(hidden);
  return `${start}...@${withoutParameters(isCut ? shown.replace(/^[^&]*/, "...") : shown)}`;
}

function withoutParameters(text: string): string {
  return text.replace(new RegExp(passwordParameter, "gi"), "$1...");
}

/** In a query, and as PostgreSQL's own programs take it. */
const passwordParameter = /(passw(?:or)?d\s*=)[^&]*/i;
