import type { Awaitable } from "../base/awaitable.ts";
import type { PacedStream } from "../base/paced-stream.ts";
import { type EventCursor, encodeEventCursor } from "../domain/event-cursor.ts";
import type { EventBatch } from "../operations/events/read-events.ts";
import type { EventWait } from "./event-wait.ts";
import { messagesOf } from "./formats.ts";
import type { EventReader } from "./readers.ts";

export interface StreamSource {
  /** What comes after a batch. */
  read(batch: EventBatch): Awaitable<EventBatch>;
  /** Throws if the reader may not go on. */
  check(): Awaitable<unknown>;
  /** Counts the reader, until the function that it returns is called. Throws if there are too many. */
  enter(reader: EventReader): () => void;
}

/**
 * Events as they come, as server-sent events, until the reader leaves or is sent away. Nothing is read ahead of a slow reader,
 * and one that is given up can resume.
 */
export class EventStream implements EventReader {
  readonly #source: StreamSource;
  readonly #wait: EventWait;
  readonly #body: PacedStream;
  readonly #leave: () => void;
  #isLeaving = false;
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

  /** Called when the reader has left. */
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
    this.#isLeaving = true;
    this.#body.shortenTimeout();
    this.#wait.finish();
  }

  async #run(first: EventBatch): Promise<void> {
    try {
      await this.#send(opening);
      for (let batch = first; !this.#wait.isOver; batch = await this.#source.read(batch)) {
        if (batch.events.length > 0) await this.#send(messagesOf(batch));
        if (!batch.hasMore) await this.#untilMore(batch);
      }
      // All of them come back to other instances, which should not be all in the same moment.
      if (this.#isLeaving) await this.#send(encoder.encode(`retry: ${Math.round(500 + Math.random() * 1_500)}\n\n`));
    } catch {
      // The reader resumes from the last event that it got, and is told by a status what is wrong.
    } finally {
      this.#body.end();
      this.close();
    }
  }

  /**
   * Returns when there may be more events, or it is over; and after a heartbeat, since a store whose history was changed
   * does not tell that there are more.
   */
  async #untilMore({ next }: EventBatch): Promise<void> {
    await this.#wait.forMore();
    if (this.#isQuiet && !this.#wait.isOver) await this.#send(heartbeatAt(next));
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

/** Says also how far the log was read, so that a reader that gets few events of many does not resume from long ago. */
function heartbeatAt(cursor: EventCursor): Uint8Array {
  return encoder.encode(`: still here\nid: ${encodeEventCursor(cursor)}\n\n`);
}

export const heartbeatMs = 10_000;
