import type { Claim } from "../../domain/claim.ts";
import type { ClaimLimits } from "../claim-room.ts";
import { resultOf } from "../conclusion.ts";
import { type Outcome, WriteQueue } from "../write-queue.ts";
import type { Settlement } from "./claims.ts";
import { toWriteError } from "./errors.ts";
import type { FromWriter, ToWriter, Write, WriteOutcome, Writes } from "./writer-worker.ts";

/** The server's side of the writer Worker. */
export class Writer {
  readonly #worker = new Worker(new URL("./writer-worker.ts", import.meta.url).href);
  readonly #queue = new WriteQueue<Write, Settlement>((batch) => this.#commit(batch));
  #receive: (outcomes: readonly WriteOutcome[]) => void = () => {};
  #closing = false;

  /**
   * `onDeath` is called when the Worker ends without having been asked to: nothing can be written any more. `onCommit` is
   * called after each commit, before anybody is told of it.
   */
  constructor(path: string, claimLimits: ClaimLimits, onDeath: (reason: string) => void, onCommit: () => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => {
      if ("fault" in data) onDeath(data.fault);
      else {
        onCommit();
        this.#receive(data.outcomes);
      }
    };
    this.#worker.onerror = ({ message }) => onDeath(message);
    this.#worker.addEventListener("close", () => {
      if (!this.#closing) onDeath("the thread that writes has ended");
    });
    this.#send({ open: path, claimLimits });
  }

  /** Throws why the write was refused, or could not be made. */
  async write<Name extends keyof Writes>(
    name: Name,
    argument: Parameters<Writes[Name]>[0],
    claim?: Claim,
  ): Promise<ReturnType<Writes[Name]>> {
    const sent = claim && { name: claim.name, fingerprint: claim.fingerprint, line: claim.line, at: claim.at };
    const { conclusion, isReplay } = await this.#queue.add({ name, argument, claim: sent } as Write);
    if (isReplay) claim?.onReplay();
    return resultOf(conclusion) as ReturnType<Writes[Name]>;
  }

  async close(): Promise<void> {
    await this.#queue.drain();
    this.#closing = true;
    await this.#ask({ close: true });
    this.#worker.terminate();
  }

  async #commit(batch: readonly Write[]): Promise<Outcome<Settlement>[]> {
    const outcomes = await this.#ask({ writes: batch });
    return outcomes.map((outcome) =>
      "failure" in outcome ? { error: toWriteError(outcome.failure) } : { result: outcome },
    );
  }

  /** One message is under way at a time, so that the next answer is always its own. */
  #ask(message: ToWriter): Promise<readonly WriteOutcome[]> {
    return new Promise((resolve) => {
      this.#receive = resolve;
      this.#send(message);
    });
  }

  #send(message: ToWriter): void {
    this.#worker.postMessage(message);
  }
}
