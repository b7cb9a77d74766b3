import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildFile, readBuild } from "../src/cli/version.ts";

/** Writes down for `npm pack` from which commit the package is made; with `--remove`, takes it away again afterwards. */
const project = join(import.meta.dir, "..");
const file = join(project, buildFile);

const build = process.argv.includes("--remove") ? undefined : readBuild(project);
if (build) writeFileSync(file, `${JSON.stringify(build)}\n`);
else rmSync(file, { force: true });
