import { AnimalStoreError, ApiError } from "../../packages/client/src/errors.ts";
import { escapeControls } from "../base/escape-controls.ts";
import { suggestWord } from "../base/suggest-word.ts";
import { SettingsError } from "../config.ts";
import { ServiceError } from "../domain/errors.ts";
import { StoreOpenError } from "../store/store.ts";
import { type Command, type CommandGroup, type Commands, exitCodes, findCommand } from "./command.ts";
import { completeWord } from "./completion.ts";
import { commandHelp, groupHelp, programHelp } from "./help.ts";
import { Interruption } from "./terminal/interruption.ts";
import { ClosedPipe, Output, UnwritableOutput } from "./terminal/output.ts";
import { fullVersion, version } from "./version.ts";

/** Runs the command that the arguments name. Returns the exit code. */
export async function runProgram(commands: Commands, args: readonly string[]): Promise<number> {
  try {
    return await run(commands, args);
  } catch (error) {
    return told(error);
  }
}

async function run(commands: Commands, args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "help" && rest.some((word) => !word.startsWith("-"))) return await run(commands, [...rest, "--help"]);
  if (name === completeWord) return await complete(commands, rest);
  const output = new Output(args.includes("--json"));
  if (name === undefined || ["help", "--help", "-h", "--json"].includes(name)) {
    const loaded = await Promise.all(Object.values(commands).map((load) => load()));
    return await output.text(programHelp(loaded), { commands: loaded.map(({ name, summary }) => ({ name, summary })) });
  }
  if (["version", "--version", "-v"].includes(name))
    return await output.text(fullVersion(), { version, full: fullVersion() });
  const found = await (Object.hasOwn(commands, name) ? commands[name] : undefined)?.();
  if (!found) {
    const [meant, help] = [suggestWord(name, Object.keys(commands)), "animal-store --help lists the commands"];
    throw new SettingsError([
      `Unknown command ${JSON.stringify(name)}${meant ? `. Did you mean ${meant}?` : `; ${help}.`}`,
    ]);
  }
  const [path, command, ownArgs] = "commands" in found ? within(found, rest) : [name, found, rest];
  if (asksForHelp(ownArgs)) {
    const text = command ? commandHelp(path, command) : groupHelp(found as CommandGroup);
    return await output.text(text, { command: path, help: text });
  }
  if (!command) throw new SettingsError([mustName(found as CommandGroup, ownArgs[0])]);
  return await command.run(path, ownArgs);
}

/** Prints completions, and no errors, which the shell would show in the middle of the user's input. */
async function complete(commands: Commands, words: readonly string[]): Promise<number> {
  const { candidates } = await import("./candidates.ts");
  const lines = await candidates(commands, words);
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.success;
}

/** Returns the path of the command that the arguments name, the command, and the other arguments. */
function within(group: CommandGroup, args: readonly string[]): [string, Command | undefined, readonly string[]] {
  const command = findCommand(group, args[0]);
  return command ? [`${group.name} ${command.name}`, command, args.slice(1)] : [group.name, undefined, args];
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? undefined : end).some((arg) => arg === "--help" || arg === "-h");
}

function mustName({ name, commands }: CommandGroup, written = ""): string {
  const names = commands.map((command) => command.name);
  const meant = suggestWord(written, names);
  const list = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  if (written === "") return `${name} must be followed by ${list}; see animal-store ${name} --help.`;
  const complaint = `${name} must be followed by ${list}, not ${JSON.stringify(written)}.`;
  return meant ? `${complaint} Did you mean ${name} ${meant}?` : complaint;
}

/** Writes each problem as one line to standard error. Returns the exit code. */
function told(error: unknown): number {
  if (error instanceof ClosedPipe) return exitCodes.success;
  if (error instanceof Interruption) return error.exitCode;
  const [exitCode, ...problems] = explain(error);
  for (const problem of problems) process.stderr.write(`animal-store: ${escapeControls(problem)}\n`);
  return exitCode;
}

type Explanation = readonly [exitCode: number, ...problems: readonly string[]];

/** Throws the error again if it is a bug. */
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
  if (isOfSystem(error)) return [exitCodes.failure, `${error.message}.`];
  throw error;
}

function explainServiceError({ code, message, cause }: ServiceError): Explanation {
  // Without a cause, the request was refused; otherwise the store failed.
  if (cause === undefined) return [exitCodes.failure, message];
  return [code === "ServiceUnavailable" ? exitCodes.unreachable : exitCodes.unusable, `${message} (${cause})`];
}

/** True for an error of a system call, such as on a full disk. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}
