import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type Diagnostic } from "./compiler.ts";
import { npmPack } from "./npm-pack.ts";
import { temporaryFolder } from "./temporary.ts";

const projectFolder = join(import.meta.dir, "../..");

export interface ClientProject extends Disposable {
  readonly path: string;
  /** Compiles programs, given by file name, to JavaScript files beside them, with the strictest settings. */
  compile(programs: Readonly<Record<string, string>>): Diagnostic[];
}

/** Creates a user's project in which only the packages of the service and of the client are installed, from tarballs. */
export function createClientProject(): ClientProject {
  const folder = temporaryFolder();
  const resolvePath = (...names: string[]) => join(folder.path, ...names);
  run(process.execPath, ["scripts/build-client.ts", resolvePath("dist")], projectFolder);
  // Both packages contain the same client.
  for (const [name, source, dist] of [
    ["animal-store", projectFolder, "packages/client/dist"],
    ["@animal-store/client", join(projectFolder, "packages/client"), "dist"],
  ] as const) {
    const installFolder = resolvePath("project", "node_modules", name);
    mkdirSync(installFolder, { recursive: true });
    cpSync(resolvePath("dist"), resolvePath(name, dist), { recursive: true });
    copyFileSync(join(source, "package.json"), resolvePath(name, "package.json"));
    const { filename } = npmPack(resolvePath(name), "--pack-destination", resolvePath());
    run("tar", ["-xzf", resolvePath(filename), "--strip-components", "1"], installFolder);
  }
  writeFileSync(resolvePath("project", "package.json"), JSON.stringify({ type: "module" }));
  return {
    path: resolvePath("project"),
    compile(programs) {
      for (const [file, source] of Object.entries(programs)) writeFileSync(resolvePath("project", file), source);
      const flags = ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022"];
      return compile(resolvePath("project"), Object.keys(programs), [...flags, "--module", "nodenext"]);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
