/**
 * Has a thread do what takes long, so that this one can be told to stop. `onReply` gets what the thread says, and settles the
 * outcome. Throws the reason of the signal.
 */
export async function inThread<Reply, Result>(
  worker: Worker,
  order: object,
  signal: AbortSignal,
  onReply: (reply: Reply, outcome: Pick<PromiseWithResolvers<Result>, "resolve" | "reject">) => void,
): Promise<Result> {
  const { promise, ...outcome } = Promise.withResolvers<Result>();
  const abort = () => outcome.reject(signal.reason);
  worker.onmessage = ({ data }: MessageEvent<Reply>) => onReply(data, outcome);
  worker.onerror = ({ message }) => outcome.reject(new Error(message));
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    worker.postMessage(order);
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
