import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Complaint, compile } from "./compiler.ts";
import { npmPack } from "./npm-pack.ts";
import { temporaryFolder } from "./temporary.ts";

const projectFolder = join(import.meta.dir, "../..");

export interface ClientProject extends Disposable {
  readonly path: string;
  /** Compiles programs, by the names of their files, as strictly as the compiler can by itself, to JavaScript beside them. */
  compile(programs: Readonly<Record<string, string>>): Complaint[];
}

/** A project of a user, in which nothing but the package is installed, from its tarball. */
export function clientProject(): ClientProject {
  const folder = temporaryFolder();
  const path = (...names: string[]) => join(folder.path, ...names);
  mkdirSync(path("package"));
  copyFileSync(join(projectFolder, "package.json"), path("package", "package.json"));
  run(process.execPath, ["scripts/build-client.ts", path("package", "dist", "client")], projectFolder);
  const { filename } = npmPack(path("package"), "--pack-destination", path());
  mkdirSync(path("project", "node_modules"), { recursive: true });
  run("tar", ["-xzf", path(filename)], path("project", "node_modules"));
  renameSync(path("project", "node_modules", "package"), path("project", "node_modules", "animal-store"));
  writeFileSync(path("project", "package.json"), JSON.stringify({ type: "module" }));
  return {
    path: path("project"),
    compile(programs) {
      for (const [file, source] of Object.entries(programs)) writeFileSync(path("project", file), source);
      const flags = ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022"];
      return compile(path("project"), Object.keys(programs), [...flags, "--module", "nodenext"]);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
