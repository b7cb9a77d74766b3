/** Writes the commit from which `npm pack` builds the package into a file of the package. With `--remove`, removes the file. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildFile, readBuild } from "../src/cli/version.ts";

const project = join(import.meta.dir, "..");
const file = join(project, buildFile);

const build = process.argv.includes("--remove") ? undefined : readBuild(project);
if (build) writeFileSync(file, `${JSON.stringify(build)}\n`);
else rmSync(file, { force: true });
