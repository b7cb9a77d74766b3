import { spawnSync } from "node:child_process";

/** What npm says about a package that it has made. */
export interface PackedPackage {
  readonly filename: string;
  /** The size of the tarball, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/**
 * Packs a folder with the npm that is installed, whichever that is. No script of the folder runs, because it would build again what
 * other tests are using: npm 10 runs one even if it is told not to, hence the shell that does nothing.
 */
export function npmPack(folder: string, ...settings: string[]): PackedPackage {
  const command = ["pack", "--json", "--ignore-scripts", "--script-shell", "true", ...settings];
  const { status, stdout, stderr } = spawnSync("npm", command, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${command.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  // A list up to npm 11, an object with the names of the packages as keys since.
  const [packed] = Object.values(JSON.parse(stdout));
  return packed as PackedPackage;
}
