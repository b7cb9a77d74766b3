/** Writes the commit of the package into a file for `npm pack`, or removes the file with `--remove`. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildFile, readBuild } from "../src/cli/version.ts";

const project = join(import.meta.dir, "..");
const file = join(project, buildFile);

const build = process.argv.includes("--remove") ? undefined : readBuild(project);
if (build) writeFileSync(file, `${JSON.stringify(build)}\n`);
else rmSync(file, { force: true });
