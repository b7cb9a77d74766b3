import { parseArgs } from "node:util";

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
  /** A secret is never repeated, not even when it is wrong. */
  readonly secret?: boolean;
  /** A wrong value is taken for none, because it may be meant for other programs; `ignoredSettings` tells of it. */
  readonly isIgnoredIfWrong?: boolean;
  /** Undefined if the text is not a value of the setting. */
  parse(text: string): Value | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type SettingValues<Definitions extends Settings> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends Setting<infer Value> & { default: string }
    ? Value
    : Definitions[Name] extends Setting<infer Value>
      ? Value | undefined
      : never;
};

export interface Arguments<Definitions extends Settings> {
  readonly settings: SettingValues<Definitions>;
  readonly positionals: readonly string[];
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

/** Like readArguments, for a command that takes nothing but settings. */
export function readSettings<Definitions extends Settings>(
  definitions: Definitions,
  args: readonly string[],
): SettingValues<Definitions> {
  return readArguments(definitions, args, (positionals) => positionals.map(notKnown)).settings;
}

/**
 * Reads a command's arguments and environment. A flag wins over the environment. `judge` names what
 * is wrong with the arguments that are no settings. Throws SettingsError.
 */
export function readArguments<Definitions extends Settings>(
  definitions: Definitions,
  args: readonly string[],
  judge: (positionals: readonly string[]) => string[] = () => [],
): Arguments<Definitions> {
  const problems: string[] = [];
  const flags = readFlags(definitions, args, problems);
  // What follows a flag that is not known may be its value, and not worth a line of its own.
  if (problems.length === 0) problems.push(...judge(flags.positionals));
  const settings = Object.entries(definitions).map(([name, definition]) => {
    const { text, source } = look(definition, flags.values);
    if (text === undefined) return [name, undefined];
    const value = definition.parse(text);
    if (value !== undefined) return [name, value];
    const { isIgnoredIfWrong, default: preset } = definition;
    if (!isIgnoredIfWrong) problems.push(complaintOf(definition, text, source));
    return [name, preset === undefined ? undefined : definition.parse(preset)];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings: Object.freeze(Object.fromEntries(settings)), positionals: flags.positionals };
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
      return { name, value: definition.secret ? "..." : withoutPasswords(text), source };
    });
}

function complaintOf(
  { flag, environment, expects, secret }: Setting<unknown>,
  text: string,
  source: SettingSource,
): string {
  const place = source === "flag" ? `--${flag}` : environment;
  return `${place} must be ${expects}${secret ? "" : `, not ${quote(text)}`}.`;
}

function look(
  { flag, environment, default: preset }: Setting<unknown>,
  flags: ReadonlyMap<string, string>,
): { readonly text: string | undefined; readonly source: SettingSource } {
  const fromFlag = flag ? flags.get(flag) : undefined;
  if (fromFlag !== undefined) return { text: fromFlag, source: "flag" };
  const fromEnvironment = environment ? process.env[environment] || undefined : undefined;
  if (fromEnvironment !== undefined) return { text: fromEnvironment, source: "environment" };
  return { text: preset, source: "default" };
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

function readFlags(definitions: Settings, args: readonly string[], problems: string[]) {
  const options = Object.values(definitions).filter(({ flag }) => flag !== undefined);
  const values = new Map<string, string>();
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options.map(({ flag, isSwitch }) => [flag, { type: isSwitch ? "boolean" : "string" }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = options.find(({ flag }) => flag === token.name);
    const before = values.get(token.name);
    if (!option) problems.push(notKnown(token.rawName));
    else if (option.isSwitch) values.set(token.name, switchedOn);
    else if (token.value === undefined) problems.push(`${token.rawName} needs a value.`);
    else if (before === undefined) values.set(token.name, token.value);
    else if (option.isRepeatable) values.set(token.name, `${before} ${token.value}`);
    else problems.push(`${token.rawName} must be given only once.`);
  }
  return { values, positionals };
}

const switchedOn = "on";

function notKnown(argument: string): string {
  return `${argument} is unknown; --help lists what you can use.`;
}

/** Repeats what was given, but for a password in an address. */
function quote(text: string): string {
  const shown = withoutPasswords(text);
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}...` : shown);
}

/** As far as an address goes that is not well-formed, and in each of several. */
function withoutPasswords(text: string): string {
  return text.replace(/\/\/\S*@/g, "//...@").replace(/([?&](?:ssl)?password=)[^&\s]*/gi, "$1...");
}
