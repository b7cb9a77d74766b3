/** Builds the JavaScript and the types of the client in packages/client/dist or a given folder. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const project = join(import.meta.dir, "..");
const folder = resolve(process.argv[2] ?? join(project, "packages/client/dist"));

rmSync(folder, { recursive: true, force: true });
const compilerArgs = ["-p", "packages/client", "--outDir", folder];
const { status } = spawnSync("node_modules/.bin/tsc", compilerArgs, { cwd: project, stdio: "inherit" });
if (status !== 0) process.exit(1);

// The compiler keeps the `.ts` endings of imports in the declarations, which some editors cannot resolve.
for (const file of new Bun.Glob("**/*.d.ts").scanSync(folder)) {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, "utf8").replace(/(["'])(\.\.?\/[^"']+)\.ts\1/g, "$1$2.js$1"));
}
