import { commands } from "./cli/commands.ts";
import { runProgram } from "./cli/program.ts";

process.exit(await runProgram(commands, process.argv.slice(2)));
