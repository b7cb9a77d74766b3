import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps what later versions are held against: the document, and the program without its pages and its runtime, in `released/`
 * or where the argument says.
 */
const project = join(import.meta.dir, "..");
const [folder = join(project, "released")] = process.argv.slice(2);

const outdir = join(folder, "program");
await Bun.build({
  entrypoints: [join(project, "src/main.ts"), join(project, "src/store/sqlite/writer-worker.ts")],
  naming: { entry: "[name].[ext]" },
  target: "bun",
  external: ["*/dist/pages.ts"],
  define: { ANIMAL_STORE_BUILD: "null" },
  outdir,
});
// The program looks for it by the name that it has among the sources.
renameSync(join(outdir, "writer-worker.js"), join(outdir, "writer-worker.ts"));
copyFileSync(join(project, "openapi.json"), join(folder, "openapi.json"));
console.log(`${folder} has the document and the program of this version.`);
