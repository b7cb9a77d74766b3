/** The threads of the program. They are loaded by their names, which have to be found beside it. */
export const threads = ["store/sqlite/writer/writer-worker.ts", "store/sqlite/backup/file-worker.ts"];

/** What a bundle of the program is made from, in `src/`. */
export const entryPoints = ["main.ts", ...threads];
