import type { Awaitable } from "../../base/awaitable.ts";
import type { EventBatch } from "../../operations/events/read-events.ts";
import type { EventStore } from "../../store/store.ts";
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
 * Events as they come, as server-sent events, until the reader leaves or is sent away. Nothing is read ahead of a slow reader:
 * the next batch is read once the last was taken. One that takes nothing for long is closed, and can resume.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #source: StreamSource;
  readonly #wait: EventWait;
  readonly #leave: () => void;
  #isLeaving = false;
  #isClosed = false;
  #taken: (() => void) | undefined;

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
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#run(controller, first);
        },
        pull: () => this.#taken?.(),
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    );
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wait.finish();
    this.#leave();
    this.#taken?.();
  }

  async #run(controller: ReadableStreamDefaultController<Uint8Array>, first: EventBatch): Promise<void> {
    try {
      await this.#send(controller, ": events follow\n\n");
      let quietSince = performance.now();
      for (let batch = first; !this.#isClosed && !this.#isLeaving; batch = await this.#source.read(batch)) {
        if (batch.events.length > 0) {
          await this.#send(controller, messagesOf(batch));
          quietSince = performance.now();
        }
        if (batch.hasMore) continue;
        await this.#wait.forMore(lookAroundMs);
        if (this.#isClosed) break;
        await this.#source.check();
        if (performance.now() - quietSince < heartbeatMs) continue;
        await this.#send(controller, ": still here\n\n");
        quietSince = performance.now();
      }
      // All of them come back at once to another instance, which should not be all in the same moment.
      if (this.#isLeaving) await this.#send(controller, `retry: ${Math.round(500 + Math.random() * 1_500)}\n\n`);
      if (!this.#isClosed) controller.close();
    } catch {
      // The reader resumes from the last event that it got, and is told by a status what is wrong.
      if (!this.#isClosed) controller.close();
    } finally {
      this.close();
    }
  }

  /** Returns once it was taken. Throws if it is not for too long. */
  async #send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error("the reader takes nothing")), patienceMs);
    this.#taken = resolve;
    controller.enqueue(encoder.encode(text));
    await promise.finally(() => clearTimeout(timer));
    this.#taken = undefined;
  }
}

const encoder = new TextEncoder();

/** So that a key that was revoked is of no use any more within a second. */
const lookAroundMs = 900;
const heartbeatMs = 10_000;
const patienceMs = 30_000;
