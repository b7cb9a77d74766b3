/** The environment variable with the path of the bundled writer thread, which starts twice as fast as the sources. */
export const suiteWriterVariable = "TEST_WRITER";

export function installBundledWriter(): void {
  const bundledFile = process.env[suiteWriterVariable];
  if (bundledFile) globalThis.Worker = createWorkerClass("/writer-worker.ts", bundledFile);
}

function createWorkerClass(name: string, bundledFile: string): typeof Worker {
  return class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(String(file).endsWith(name) ? bundledFile : file, options);
    }
  };
}
