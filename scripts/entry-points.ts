/** The source files of the worker threads. Bundles need these files as entry points, because the program starts workers by file name. */
export const workerFiles = ["store/sqlite/writer/writer-worker.ts", "store/sqlite/backup/file-worker.ts"];

export const entryPoints = ["main.ts", ...workerFiles];
