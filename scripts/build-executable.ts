/**
 * Builds the program as one file with its runtime and its HTML pages: `dist/animal-store` for this platform, or a file at a given path.
 * With `--target linux-x64`, which may be repeated, builds `dist/animal-store-linux-x64`. Splits the bundle, so that each command loads
 * only its own modules. Only the executable for this platform contains bytecode, which halves the startup time: bytecode for another
 * platform crashes.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readBuild } from "../src/cli/version.ts";
import { entryPoints } from "./entry-points.ts";
import { type Target, targets } from "./targets.ts";

const project = join(import.meta.dir, "..");
const { values, positionals } = parseArgs({
  options: { target: { type: "string", multiple: true } },
  allowPositionals: true,
});

if (!values.target) {
  const [outfile = join(project, "dist/animal-store")] = positionals;
  await build(outfile, {}, { bytecode: true, format: "esm" });
  console.log(`${outfile} is the whole program, for this platform.`);
}
for (const name of values.target ?? []) {
  const target = targets.find((known) => known === name);
  if (!target) throw new Error(`--target must be one of ${targets.join(", ")}, not ${name}.`);
  const outfile = join(project, `dist/animal-store-${target}`);
  await build(outfile, { target: `bun-${target}`, executablePath: await downloadRuntime(target) });
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
    // Files in the current directory must not affect the program.
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

/** Downloads Bun for another platform from the npm registry, checks it against the lock file, and caches it. */
async function downloadRuntime(target: Target): Promise<string> {
  const packageName = `@oven/bun-${target.replace("arm64", "aarch64")}`;
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
  const { version, integrity } = packages[`node_modules/${packageName}`];
  const folder = join(project, "node_modules/.cache/animal-store");
  const file = join(folder, `bun-${target}-${version}`);
  if (existsSync(file)) return file;
  const registry = process.env["npm_config_registry"] ?? "https://registry.npmjs.org/";
  const response = await fetch(new URL(`${packageName}/-/${packageName.split("/")[1]}-${version}.tgz`, registry));
  if (!response.ok) throw new Error(`${response.url} responded with ${response.status}.`);
  const archive = await response.bytes();
  if (`sha512-${createHash("sha512").update(archive).digest("base64")}` !== integrity) {
    throw new Error(`${response.url} does not match package-lock.json.`);
  }
  const program = (await new Bun.Archive(archive).files()).get("package/bin/bun");
  if (!program) throw new Error(`${response.url} contains no program.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, await program.bytes());
  chmodSync(file, 0o755);
  return file;
}
