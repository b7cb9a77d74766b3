/** Writes the OpenAPI document and the program to `released/` or a given folder, for the compatibility tests of later versions. */
import { copyFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { entryPoints, workerFiles } from "./entry-points.ts";

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
        // Leaves out the HTML pages: the program imports a file that does not exist, and therefore starts without pages.
        build.onResolve({ filter: /\/dist\/pages\.ts$/ }, () => ({ path: "./pages.ts", external: true }));
      },
    },
  ],
  define: { ANIMAL_STORE_BUILD: "null" },
  outdir,
});
// The program loads its worker threads by the names of their source files.
for (const workerFile of workerFiles.map((file) => basename(file))) {
  renameSync(join(outdir, workerFile.replace(/ts$/, "js")), join(outdir, workerFile));
}
copyFileSync(join(project, "openapi.json"), join(folder, "openapi.json"));
console.log(`${folder} contains the document and the program of this version.`);
