import { join } from "node:path";

/** Makes the program one file, with its runtime and its pages in it: `dist/animal-store`, or where the argument says. */
const project = join(import.meta.dir, "..");
const [outfile = join(project, "dist/animal-store")] = process.argv.slice(2);

await Bun.build({
  // The thread that writes is loaded by its name, which has to be found beside the program.
  entrypoints: [join(project, "src/main.ts"), join(project, "src/store/sqlite/writer-worker.ts")],
  naming: { entry: "[name].[ext]" },
  compile: { outfile },
});
console.log(`${outfile} is the whole program, for machines like this one.`);
