/** The variable with the path of the bundled writer thread, which starts in half the time that its sources take. */
export const suiteWriterVariable = "TEST_WRITER";

/** Makes all stores of this process use the bundled writer thread, if the suite has made one. */
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
