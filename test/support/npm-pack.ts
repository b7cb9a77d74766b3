import { spawnSync } from "node:child_process";

/** The part of the output of `npm pack` that tests use. */
export interface PackedPackage {
  readonly filename: string;
  /** The size of the tarball, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/**
 * Packs a folder with the installed npm. Scripts of the folder must not run, because they would rebuild files that other tests are using.
 * npm 10 runs some scripts even with --ignore-scripts, hence the shell that does nothing.
 */
export function npmPack(folder: string, ...settings: string[]): PackedPackage {
  const command = ["pack", "--json", "--ignore-scripts", "--script-shell", "true", ...settings];
  const { status, stdout, stderr } = spawnSync("npm", command, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${command.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  // The output is a list up to npm 11, and an object by package name in later versions.
  const [packed] = Object.values(JSON.parse(stdout));
  return packed as PackedPackage;
}
