import type { Awaitable } from "../../base/awaitable.ts";
import type { EventBatch } from "../../operations/events/read-events.ts";
import type { EventStore } from "../../store/store.ts";
import { PacedBody } from "../reply/paced-body.ts";
import { messagesOf } from "./formats.ts";
import { EventWait } from "./waiting.ts";

export interface StreamSource {
  /** What comes after a batch. */
  read(batch: EventBatch): Awaitable<EventBatch>;
  /** Throws if the reader may not go on. */
  check(): Promise<void>;
  /** Counts the reader, until the function that it returns is called. Throws if there are too many. */
  enter(onLeave: () => void): () => void;
}

/**
 * Events as they come, as server-sent events, until the reader leaves or is sent away. Nothing is read ahead of a slow reader,
 * and one that is given up can resume.
 */
export class EventStream {
  readonly #source: StreamSource;
  readonly #wait: EventWait;
  readonly #body = new PacedBody(() => this.close());
  readonly #leave: () => void;
  #isLeaving = false;

  constructor(log: EventStore, first: EventBatch, source: StreamSource) {
    this.#source = source;
    this.#wait = new EventWait(log);
    try {
      this.#leave = source.enter(() => {
        this.#isLeaving = true;
        this.#wait.finish();
      });
    } catch (error) {
      this.#wait.finish();
      throw error;
    }
    this.#run(first);
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#body.stream;
  }

  /** Called when the reader has left. */
  close(): void {
    this.#body.leave();
    this.#wait.finish();
    this.#leave();
  }

  async #run(first: EventBatch): Promise<void> {
    try {
      await this.#body.send(": events follow\n\n");
      let quietSince = performance.now();
      for (let batch = first; !this.#isLeaving; batch = await this.#source.read(batch)) {
        if (batch.events.length > 0) {
          await this.#body.send(messagesOf(batch));
          quietSince = performance.now();
        }
        if (batch.hasMore) continue;
        await this.#wait.forMore(lookAroundMs);
        if (this.#body.isOver) return;
        await this.#source.check();
        if (performance.now() - quietSince < heartbeatMs) continue;
        await this.#body.send(": still here\n\n");
        quietSince = performance.now();
      }
      // All of them come back to other instances, which should not be all in the same moment.
      await this.#body.send(`retry: ${Math.round(500 + Math.random() * 1_500)}\n\n`);
    } catch {
      // The reader resumes from the last event that it got, and is told by a status what is wrong.
    } finally {
      this.#body.end();
      this.close();
    }
  }
}

/** So that a key that was revoked is of no use any more within a second. */
const lookAroundMs = 900;
const heartbeatMs = 10_000;
