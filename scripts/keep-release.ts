import { copyFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { entryPoints, threads } from "./entry-points.ts";

/** Writes the references for tests of later versions to `released/` or a given folder: the document, and the program without pages. */
const project = join(import.meta.dir, "..");
const [folder = join(project, "released")] = process.argv.slice(2);

const outdir = join(folder, "program");
await Bun.build({
  entrypoints: entryPoints.map((file) => join(project, "src", file)),
  naming: { entry: "[name].[ext]" },
  target: "bun",
  plugins: [
    {
      name: "no pages",
      setup(build) {
        // Resolves to a missing file beside the program, so that the program starts without pages.
        build.onResolve({ filter: /\/dist\/pages\.ts$/ }, () => ({ path: "./pages.ts", external: true }));
      },
    },
  ],
  define: { ANIMAL_STORE_BUILD: "null" },
  outdir,
});
// The program loads its worker threads by the names of their source files.
for (const thread of threads.map((file) => basename(file))) {
  renameSync(join(outdir, thread.replace(/ts$/, "js")), join(outdir, thread));
}
copyFileSync(join(project, "openapi.json"), join(folder, "openapi.json"));
console.log(`${folder} contains the document and the program of this version.`);
