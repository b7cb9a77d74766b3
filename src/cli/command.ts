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

/** A command of the program. Its arguments, its help, what shells offer for it and its place in the guide come from this alone. */
export interface Command {
  readonly name: string;
  /** Another name by which a group finds the command. */
  readonly alias?: string | undefined;
  readonly summary: string;
  /** What else there is to know, in whole sentences. */
  readonly details?: string | undefined;
  readonly settings: Settings;
  readonly operands: Operands;
  /** Takes what follows its path, which is the name with that of its group. Returns the exit code. */
  run(path: string, args: readonly string[]): Promise<number>;
}

/** Commands that are about one thing, and named after it: `keys create`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

export function findCommand({ commands }: CommandGroup, word = ""): Command | undefined {
  return commands.find(({ name, alias }) => word === name || word === alias);
}

/** How each command or group is loaded, by its name, in the order in which the help lists them. */
export type Commands = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;

/** What a command was told, and where it tells what came of it. */
export interface Given<Definitions extends Settings, Places extends Operands> extends Arguments<Definitions, Places> {
  readonly settings: SettingValues<Definitions>;
  readonly operands: OperandValues<Places>;
  readonly output: Output;
  /** As they were typed. */
  readonly args: readonly string[];
}

/** The parts of a command. */
export interface Definition<Definitions extends Settings, Places extends Operands>
  extends Pick<Command, "name" | "alias" | "summary" | "details"> {
  readonly settings?: Definitions;
  readonly operands?: Places;
  /** Everything it prints goes through `output`, which obeys --json. Nothing returned means success. */
  run(given: Given<Definitions, Places>): Promise<number | undefined>;
}

export const exitCodes = {
  success: 0,
  /** What was asked for was refused, or did not come to a good end. */
  failure: 1,
  /** The command line, the settings or the database cannot be used. */
  unusable: 2,
  /** There was no answer of the service, or of the database. A supervisor may start `serve` again after it. */
  unreachable: 3,
  /** Some of it was done, and some was refused. */
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

/** What every command can be told. */
export const commonSettings = {
  json: switchSetting("json", "Print the result as JSON, one object per line."),
};
