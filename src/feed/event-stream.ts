import type { Awaitable } from "../base/awaitable.ts";
import type { PacedStream } from "../base/paced-stream.ts";
import { encodeEventCursor } from "../domain/event-cursor.ts";
import type { EventBatch } from "../operations/events/read-events.ts";
import type { EventWait } from "./event-wait.ts";
import { toMessages } from "./formats.ts";
import type { EventReader } from "./readers.ts";

export interface StreamSource {
  /** Returns the events after a batch. */
  read(batch: EventBatch): Awaitable<EventBatch>;
  /** Throws if the reader's key no longer works. */
  check(): Awaitable<unknown>;
  /** Counts the reader until the returned function is called. Throws TooManyRequests. */
  enter(reader: EventReader): () => void;
}

/**
 * Sends events as server-sent events until the reader disconnects or is disconnected. Nothing is read ahead of a slow reader; a reader
 * that was disconnected can resume.
 */
export class EventStream implements EventReader {
  readonly #source: StreamSource;
  readonly #wait: EventWait;
  readonly #body: PacedStream;
  readonly #leave: () => void;
  #isFinishing = false;
  #sentAt = performance.now();

  constructor(wait: EventWait, body: PacedStream, first: EventBatch, source: StreamSource) {
    this.#source = source;
    this.#wait = wait;
    this.#body = body;
    try {
      this.#leave = source.enter(this);
    } catch (error) {
      wait.finish();
      throw error;
    }
    this.#run(first);
  }

  /** Called when the reader has disconnected. */
  close(): void {
    this.#body.abandon();
    this.#wait.finish();
    this.#leave();
  }

  check(): Awaitable<unknown> {
    return this.#source.check();
  }

  refuse(error: unknown): void {
    this.#body.shortenTimeout();
    this.#wait.refuse(error);
  }

  beat(): void {
    if (this.#isQuiet) this.#wait.wakeUp();
  }

  finish(): void {
    this.#isFinishing = true;
    this.#body.shortenTimeout();
    this.#wait.finish();
  }

  async #run(first: EventBatch): Promise<void> {
    try {
      await this.#send(opening);
      for (let batch = first; !this.#wait.isOver; batch = await this.#source.read(batch)) {
        if (batch.events.length > 0) await this.#send(toMessages(batch));
        if (!batch.hasMore) await this.#waitForMore(batch);
      }
      // A random delay keeps all readers from reconnecting to other instances at the same moment.
      if (this.#isFinishing) await this.#send(encoder.encode(`retry: ${Math.round(500 + Math.random() * 1_500)}\n\n`));
    } catch {
      // The reader resumes from its last event, and a status then tells it what is wrong.
    } finally {
      this.#body.end();
      this.close();
    }
  }

  /**
   * Resolves when there may be more events, or the stream is over; and after each heartbeat, because a store that was restored does not
   * report new events. The heartbeat carries the position, so that a reader with a selective filter does not resume from long ago.
   */
  async #waitForMore({ next }: EventBatch): Promise<void> {
    await this.#wait.forMore();
    if (!this.#isQuiet || this.#wait.isOver) return;
    await this.#send(encoder.encode(`: still here\nid: ${encodeEventCursor(next)}\n\n`));
  }

  get #isQuiet(): boolean {
    return performance.now() - this.#sentAt >= heartbeatMs;
  }

  async #send(bytes: Uint8Array): Promise<void> {
    this.#sentAt = performance.now();
    await this.#body.send(bytes);
  }
}

const encoder = new TextEncoder();
const opening = encoder.encode(": events follow\n\n");

export const heartbeatMs = 10_000;
