import {
  type Arguments,
  type Operands,
  type OperandValues,
  readArguments,
  type Settings,
  type SettingValues,
  switchSetting,
} from "../config.ts";
import { Output } from "./terminal/output.ts";

/** A command. Its arguments, its help, completion and its place in the guide follow from this alone. */
export interface Command {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly summary: string;
  readonly details?: string | undefined;
  readonly settings: Settings;
  readonly operands: Operands;
  /** `path` is the name, with that of its group. Returns the exit code. */
  run(path: string, args: readonly string[]): Promise<number>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

export function findCommand({ commands }: CommandGroup, word = ""): Command | undefined {
  return commands.find(({ name, alias }) => word === name || word === alias);
}

/** Loaders of the commands and groups, in the order of the help. */
export type Commands = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;

export interface Given<Definitions extends Settings, Places extends Operands> extends Arguments<Definitions, Places> {
  readonly settings: SettingValues<Definitions>;
  readonly operands: OperandValues<Places>;
  readonly output: Output;
  readonly args: readonly string[];
}

export interface Definition<Definitions extends Settings, Places extends Operands>
  extends Pick<Command, "name" | "alias" | "summary" | "details"> {
  readonly settings?: Definitions;
  readonly operands?: Places;
  /** Prints through `output`, which obeys --json. Returning nothing means success. */
  run(given: Given<Definitions, Places>): Promise<number | undefined>;
}

export const exitCodes = {
  success: 0,
  /** The request was refused, or failed. */
  failure: 1,
  /** The command line, the settings or the database cannot be used. */
  unusable: 2,
  /** The service or the database did not respond. A supervisor may restart `serve` after it. */
  unreachable: 3,
  /** A part was done, and a part refused. */
  partial: 4,
} as const;

export function command<Definitions extends Settings, Places extends Operands>({
  settings: own = {} as Definitions,
  operands = {} as Places,
  run,
  ...rest
}: Definition<Definitions, Places>): Command {
  const settings = { ...own, ...commonSettings };
  return {
    ...rest,
    settings,
    operands,
    async run(path, args) {
      const given = readArguments({ path, settings, operands }, args);
      const { json } = given.settings as SettingValues<typeof commonSettings>;
      const told = { ...given, output: new Output(json), args } as unknown as Given<Definitions, Places>;
      return (await run(told)) ?? exitCodes.success;
    },
  };
}

export const commonSettings = {
  json: switchSetting("json", "Print the result as JSON, one object per line."),
};
