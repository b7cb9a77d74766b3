import { spawnSync } from "node:child_process";

export interface PackedPackage {
  readonly filename: string;
  /** The size of the tarball, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Packs a folder without running scripts, which would rebuild files in use. npm 10 needs the script shell `true` for that. */
export function npmPack(folder: string, ...flags: string[]): PackedPackage {
  const command = ["pack", "--json", "--ignore-scripts", "--script-shell", "true", ...flags];
  const { status, stdout, stderr } = spawnSync("npm", command, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${command.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  // The output is a list up to npm 11, and an object by package name in later versions.
  const [packed] = Object.values(JSON.parse(stdout));
  return packed as PackedPackage;
}
