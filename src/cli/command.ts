import { type Arguments, type Operands, readArguments, type Settings, switchSetting } from "../config.ts";
import { Output } from "./terminal/output.ts";

/** A command. Its arguments, help, completion and part of the guide are derived from this definition. */
export interface Command {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly summary: string;
  readonly details?: string | undefined;
  readonly settings: Settings;
  readonly operands: Operands;
  /** `path` is the name of the command, preceded by the name of its group. Returns the exit code. */
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

export interface Definition<Named extends Settings, Positional extends Operands, Given = unknown>
  extends Pick<Command, "name" | "alias" | "summary" | "details"> {
  readonly settings?: Named;
  readonly operands?: Positional;
  /** Prints through `output`, which obeys --json. Returns the exit code; undefined means success. */
  run(given: Arguments<Named, Positional> & { readonly output: Output } & Given): Promise<number | undefined>;
}

export const exitCodes = {
  success: 0,
  /** The request was refused, or failed. */
  failure: 1,
  /** The command line, the settings or the database cannot be used. */
  unusable: 2,
  /** The service or the database did not respond. A supervisor may restart `serve` after this exit code. */
  unreachable: 3,
  /** A part was done, and another part was refused. */
  partial: 4,
} as const;

export function command<const Named extends Settings, Positional extends Operands>({
  settings = {} as Named,
  operands = {} as Positional,
  run,
  ...rest
}: Definition<Named, Positional>): Command {
  const all = { ...settings, ...commonSettings };
  return {
    ...rest,
    settings: all,
    operands,
    async run(path, args) {
      const given = readArguments({ path, settings: all, operands }, args);
      const { json } = given.settings as { readonly json: boolean };
      return (await run({ ...given, output: new Output(json) } as never)) ?? exitCodes.success;
    },
  };
}

export const commonSettings = { json: switchSetting("--json", "Print the result as JSON, one object per line.") };
