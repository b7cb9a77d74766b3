/** The source files of the worker threads, which the program loads by file name. */
export const workerFiles = ["store/sqlite/writer/writer-worker.ts", "store/sqlite/backup/file-worker.ts"];

/** The entry points of a bundle of the program, in `src/`. */
export const entryPoints = ["main.ts", ...workerFiles];
