import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readBuild } from "../src/cli/version.ts";
import { entryPoints } from "./entry-points.ts";
import { type Target, targets } from "./targets.ts";

/**
 * Makes the program one file, with its runtime and its pages in it: `dist/animal-store` for machines like this one, or where the
 * argument says. With `--target linux-x64`, which may be repeated, for those: `dist/animal-store-linux-x64`.
 *
 * It is split, so that a command loads what it needs, and not what all of them do.
 *
 * Only this machine's has bytecode in it, with which it starts in half the time: that of another platform has to be made there, and
 * crashes elsewhere.
 */
const project = join(import.meta.dir, "..");
const { values, positionals } = parseArgs({
  options: { target: { type: "string", multiple: true } },
  allowPositionals: true,
});

if (!values.target) {
  const [outfile = join(project, "dist/animal-store")] = positionals;
  await build(outfile, {}, { bytecode: true, format: "esm" });
  console.log(`${outfile} is the whole program, for machines like this one.`);
}
for (const name of values.target ?? []) {
  const target = targets.find((known) => known === name);
  if (!target) throw new Error(`--target must be one of ${targets.join(", ")}, not ${name}.`);
  const outfile = join(project, `dist/animal-store-${target}`);
  await build(outfile, { target: `bun-${target}`, executablePath: await runtimeOf(target) });
  console.log(`${outfile} is the whole program, for ${target}.`);
}

async function build(
  outfile: string,
  compile: Partial<Bun.CompileBuildOptions>,
  options: Pick<Bun.BuildConfig, "bytecode" | "format"> = {},
): Promise<void> {
  await Bun.build({
    ...options,
    splitting: true,
    entrypoints: entryPoints.map((file) => join(project, "src", file)),
    naming: { entry: "[name].[ext]" },
    define: { ANIMAL_STORE_BUILD: JSON.stringify(readBuild(project) ?? null) },
    // Files in the directory where the program is started must not change what it does.
    compile: {
      ...compile,
      outfile,
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}

/** The Bun of another platform, as the npm registry has it, checked against the lock file, and kept for the next time. */
async function runtimeOf(target: Target): Promise<string> {
  const part = `@oven/bun-${target.replace("arm64", "aarch64")}`;
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
  const { version, integrity } = packages[`node_modules/${part}`];
  const folder = join(project, "node_modules/.cache/animal-store");
  const file = join(folder, `bun-${target}-${version}`);
  if (existsSync(file)) return file;
  const registry = process.env["npm_config_registry"] ?? "https://registry.npmjs.org/";
  const answer = await fetch(new URL(`${part}/-/${part.split("/")[1]}-${version}.tgz`, registry));
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}.`);
  const archive = await answer.bytes();
  if (`sha512-${createHash("sha512").update(archive).digest("base64")}` !== integrity) {
    throw new Error(`${answer.url} is not what package-lock.json has.`);
  }
  const program = (await new Bun.Archive(archive).files()).get("package/bin/bun");
  if (!program) throw new Error(`${answer.url} has no program in it.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, await program.bytes());
  chmodSync(file, 0o755);
  return file;
}
