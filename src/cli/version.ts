import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";

export { version };

export interface Build {
  readonly commit: string;
  readonly date: string;
}

/** Build information that the bundler inserts; null if unknown. */
declare const ANIMAL_STORE_BUILD: Build | null;

export function fullVersion(): string {
  const build = typeof ANIMAL_STORE_BUILD === "undefined" ? readPackedBuild() : ANIMAL_STORE_BUILD;
  return build ? `${version} (commit ${build.commit}, ${build.date})` : version;
}

/** Returns the build that was written for `npm pack`. In a checkout, where the sources change after a build, reads the commit from git. */
function readPackedBuild(): Build | undefined {
  const folder = join(import.meta.dirname, "..", "..");
  if (existsSync(join(folder, ".git"))) return readBuild(folder);
  const file = join(folder, buildFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export const buildFile = "dist/build.json";

/** Returns undefined without git or a commit. If files are modified, the commit ends with a plus sign. */
export function readBuild(folder: string): Build | undefined {
  if (!Bun.which("git")) return undefined;
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: folder });
  const { success, stdout } = git("log", "-1", "--abbrev=12", "--date=format-local:%Y-%m-%d", "--format=%h %cd");
  const [commit, date] = stdout.toString().trim().split(" ");
  if (!success || !commit || !date) return undefined;
  const isChanged = git("status", "--porcelain", "--untracked-files=no").stdout.length > 0;
  return { commit: isChanged ? `${commit}+` : commit, date };
}
