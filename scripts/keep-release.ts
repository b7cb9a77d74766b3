import { copyFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { entryPoints, threads } from "./entry-points.ts";

/**
 * Keeps what later versions are held against: the document, and the program without its pages and its runtime, in `released/`
 * or where the argument says.
 */
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
        // They are looked for beside the program, where there are none, and not where they would be from the sources.
        build.onResolve({ filter: /\/dist\/pages\.ts$/ }, () => ({ path: "./pages.ts", external: true }));
      },
    },
  ],
  define: { ANIMAL_STORE_BUILD: "null" },
  outdir,
});
// The program looks for its threads by the names that they have among the sources.
for (const thread of threads.map((file) => basename(file))) {
  renameSync(join(outdir, thread.replace(/ts$/, "js")), join(outdir, thread));
}
copyFileSync(join(project, "openapi.json"), join(folder, "openapi.json"));
console.log(`${folder} has the document and the program of this version.`);
