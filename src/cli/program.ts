import { SettingsError } from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { StoreOpenError } from "../store/store.ts";
import { type Command, exitCodes, helpOf, table } from "./command.ts";
import { fullVersion, version } from "./version.ts";

/** Runs the command that the arguments name. Returns the exit code. */
export async function runProgram(commands: readonly Command[], [name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return print(help(commands));
  if (name === "--version") return print(fullVersion());
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return complain([`Unknown command ${JSON.stringify(name)}; animal-store --help lists the commands.`]);
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

function help(commands: readonly Command[]): string {
  return `animal-store ${version}: the catalogue of an animal store, as a JSON API.

Usage: animal-store COMMAND [settings]

${table(commands.map(({ name, summary }) => [name, summary]))}

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
