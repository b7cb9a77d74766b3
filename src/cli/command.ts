import { type Arguments, readArguments, type Settings, switchSetting } from "../config.ts";
import { Output } from "./terminal/output.ts";

/** A command. Its arguments, help, completion and part of the guide are derived from this definition. */
export interface Command {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly summary: string;
  readonly details?: string | undefined;
  readonly settings: Settings;
  readonly operands: Settings;
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

export type Commands = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;

export interface Definition<Named extends Settings, Positional extends Settings, Given = unknown>
  extends Pick<Command, "name" | "alias" | "summary" | "details"> {
  readonly settings?: Named;
  readonly operands?: Positional;
  /** Prints through `output`, which obeys --json. Returns the exit code; undefined means success. */
  run(given: Arguments<Named, Positional> & { readonly output: Output } & Given): Promise<number | undefined>;
}

export const exitCodes = {
  success: 0,
  failure: 1,
  unusable: 2,
  /** The service or the database did not respond. A supervisor may restart `serve` after this exit code. */
  unreachable: 3,
  partial: 4,
} as const;

export function command<const Named extends Settings, Positional extends Settings>({
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
      const parsed = readArguments({ path, settings: all, operands }, args);
      const { json } = parsed.settings as { readonly json: boolean };
      return (await run({ ...parsed, output: new Output(json) } as never)) ?? exitCodes.success;
    },
  };
}

export const commonSettings = { json: switchSetting("--json", "Print the result as JSON, one object per line.") };
