/** The source files of the worker threads, which the program loads by file name. */
export const workerFiles = ["store/sqlite/writer/writer-worker.ts", "store/sqlite/backup/file-worker.ts"];

export const entryPoints = ["main.ts", ...workerFiles];
