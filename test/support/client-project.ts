import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmPack } from "./npm-pack.ts";
import { temporaryFolder } from "./temporary.ts";

const projectFolder = join(import.meta.dir, "../..");

export interface ClientProject extends Disposable {
  readonly path: string;
  /** Compiles a program as strictly as the compiler can by itself, and returns the path of the JavaScript. */
  compile(name: string, source: string): string;
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
    compile(name, source) {
      writeFileSync(path("project", `${name}.ts`), source);
      const compiler = join(projectFolder, "node_modules/.bin/tsc");
      const flags = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022"];
      run(compiler, [...flags, "--module", "nodenext", "--outDir", "compiled", `${name}.ts`], path("project"));
      return path("project", "compiled", `${name}.js`);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
