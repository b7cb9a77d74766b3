/** The environment variable with the path of the bundled writer thread, which starts twice as fast as the sources. */
export const suiteWriterVariable = "TEST_WRITER";

export function installBundledWriter(): void {
  const bundled = process.env[suiteWriterVariable];
  if (bundled) globalThis.Worker = workerFor("/writer-worker.ts", bundled);
}

function workerFor(name: string, bundled: string): typeof Worker {
  return class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(String(file).endsWith(name) ? bundled : file, options);
    }
  };
}
