import { ReportedFailure } from "../errors.ts";
import type { FileReply, FileRequest } from "./file-worker.ts";

/** Runs a request in a separate thread, so that the calling thread stays responsive to signals. Throws ReportedFailure or the signal's reason. */
export async function runInThread(
  request: FileRequest,
  signal: AbortSignal,
  onTotalBytes: (bytes: number) => void = () => {},
): Promise<number> {
  const worker = new Worker(new URL("./file-worker.ts", import.meta.url).href);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const abort = () => reject(signal.reason);
  worker.onmessage = ({ data }: MessageEvent<FileReply>) => {
    if ("animals" in data) resolve(data.animals);
    else if ("failure" in data) reject(new ReportedFailure(data.failure));
    else onTotalBytes(data.totalBytes);
  };
  worker.onerror = ({ message }) => reject(new Error(message));
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    worker.postMessage(request);
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
