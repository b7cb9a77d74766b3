/** The worker threads of the program, which it loads by file name. */
export const threads = ["store/sqlite/writer/writer-worker.ts", "store/sqlite/backup/file-worker.ts"];

/** The entry points of a bundle of the program, in `src/`. */
export const entryPoints = ["main.ts", ...threads];
