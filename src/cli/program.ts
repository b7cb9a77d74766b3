import { SettingsError } from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { StoreOpenError } from "../store/store.ts";
import { type Command, exitCodes, helpOf, table } from "./command.ts";
import { fullVersion, version } from "./version.ts";

/** How each command is loaded, by its name, in the order in which the help lists them. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** Runs the command that the arguments name. Returns the exit code. */
export async function runProgram(commands: Commands, [name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return print(await help(commands));
  if (name === "--version") return print(fullVersion());
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return complain([`Unknown command ${JSON.stringify(name)}; animal-store --help lists the commands.`]);
  const command = await load();
  if (args.includes("--help") || args.includes("-h")) return print(helpOf(command));
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof SettingsError) return complain(error.problems);
    if (error instanceof StoreOpenError) return complain([error.message]);
    if (error instanceof ServiceError) return fail(error);
    throw error;
  }
}

async function help(commands: Commands): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return `animal-store ${version}: the catalogue of an animal store, as a JSON API.

Usage: animal-store COMMAND [settings]

${table(loaded.map(({ name, summary }) => [name, summary]))}

Run animal-store COMMAND --help for the settings of a command.`;
}

function print(text: string): number {
  console.log(text);
  return exitCodes.success;
}

/** What was asked for cannot be done, or the store cannot do it now. */
function fail({ message, cause }: ServiceError): number {
  console.error(`animal-store: ${message}${cause === undefined ? "" : ` (${cause})`}`);
  return cause === undefined ? exitCodes.failure : exitCodes.unusable;
}

function complain(problems: readonly string[]): number {
  for (const problem of problems) console.error(`animal-store: ${problem}`);
  return exitCodes.unusable;
}
