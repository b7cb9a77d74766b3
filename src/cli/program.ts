import { AnimalStoreError, ApiError } from "../../packages/client/src/errors.ts";
import { escapeControls } from "../base/escape-controls.ts";
import { suggestWord } from "../base/suggest-word.ts";
import { SettingsError } from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { StoreOpenError } from "../store/store.ts";
import { type Command, type Commands, exitCodes, findCommand } from "./command.ts";
import { candidatesCommand } from "./completion.ts";
import { formatCommandHelp, formatGroupHelp, formatProgramHelp } from "./help.ts";
import { Interruption } from "./terminal/interruption.ts";
import { ClosedPipe, Output, UnwritableOutput } from "./terminal/output.ts";
import { fullVersion, version } from "./version.ts";

export async function runProgram(commands: Commands, args: readonly string[]): Promise<number> {
  try {
    return await run(commands, args);
  } catch (error) {
    return report(error);
  }
}

async function run(commands: Commands, args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "help" && rest.some((word) => !word.startsWith("-"))) return await run(commands, [...rest, "--help"]);
  const output = new Output(args.includes("--json"));
  if (name === candidatesCommand) {
    const { findCandidates } = await import("./candidates.ts");
    const lines = await findCandidates(commands, rest);
    return await output.write(lines.map((line) => `${line}\n`).join(""));
  }
  if (name === undefined || ["help", "--help", "-h", "--json"].includes(name)) {
    const loaded = await Promise.all(Object.values(commands).map((load) => load()));
    return await output.print(formatProgramHelp(loaded), {
      commands: loaded.map(({ name, summary }) => ({ name, summary })),
    });
  }
  if (["version", "--version", "-v"].includes(name))
    return await output.print(fullVersion(), { version, full: fullVersion() });
  const entry = await (Object.hasOwn(commands, name) ? commands[name] : undefined)?.();
  if (!entry) throw createUnknownCommandError("", name, Object.keys(commands));
  if (!("commands" in entry)) return await runOrExplain(name, entry, rest, output);
  const command = findCommand(entry, rest[0]);
  if (command) return await runOrExplain(`${name} ${command.name}`, command, rest.slice(1), output);
  const names = entry.commands.map((one) => one.name);
  if (!isHelpRequested(rest)) throw createUnknownCommandError(`${name} `, rest[0], names);
  return await output.print(formatGroupHelp(entry), { command: name, help: formatGroupHelp(entry) });
}

async function runOrExplain(path: string, command: Command, args: readonly string[], output: Output): Promise<number> {
  if (!isHelpRequested(args)) return await command.run(path, args);
  const help = formatCommandHelp(path, command);
  return await output.print(help, { command: path, help });
}

function isHelpRequested(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? undefined : end).some((arg) => arg === "--help" || arg === "-h");
}

/** `group` is the name of a group and a space, or empty. */
function createUnknownCommandError(group: string, word: string | undefined, names: readonly string[]): SettingsError {
  const meant = suggestWord(word ?? "", names);
  const advice = meant ? `. Did you mean ${group}${meant}?` : `; animal-store ${group}--help lists the commands.`;
  const problem = `Unknown command ${JSON.stringify(`${group}${word}`)}`;
  return new SettingsError(`${word === undefined ? `${group}must be followed by a command` : problem}${advice}`);
}

/** Writes each problem as one line to standard error. Returns the exit code. Rethrows an unexpected error. */
function report(error: unknown): number {
  if (error instanceof ClosedPipe) return exitCodes.success;
  if (error instanceof Interruption) return error.exitCode;
  const [exitCode, ...problems] = explain(error);
  for (const problem of problems) process.stderr.write(`animal-store: ${escapeControls(problem)}\n`);
  return exitCode;
}

type Explanation = readonly [exitCode: number, ...problems: readonly string[]];

function explain(error: unknown): Explanation {
  if (error instanceof SettingsError) return [exitCodes.unusable, ...error.problems];
  if (error instanceof UnwritableOutput) return [exitCodes.failure, error.message];
  if (error instanceof StoreOpenError) {
    return [error.isUnreachable ? exitCodes.unreachable : exitCodes.unusable, error.message];
  }
  if (error instanceof ServiceError) return explainServiceError(error);
  if (error instanceof ApiError) {
    const { message, requestId } = error;
    return [exitCodes.failure, requestId ? `${message} (request ${requestId})` : message];
  }
  if (error instanceof AnimalStoreError) {
    const doubt = error.mayHaveSucceeded ? " It is not known whether the request was carried out." : "";
    return [exitCodes.unreachable, `${error.message}${doubt}`];
  }
  // The error of a failed system call, such as a write to a full disk.
  if (error instanceof Error && "syscall" in error && "code" in error) return [exitCodes.failure, `${error.message}.`];
  throw error;
}

/** An error without a cause means that the request was refused; a cause means that the store failed. */
function explainServiceError({ code, message, cause }: ServiceError): Explanation {
  if (cause === undefined) return [exitCodes.failure, message];
  return [code === "ServiceUnavailable" ? exitCodes.unreachable : exitCodes.unusable, `${message} (${cause})`];
}
