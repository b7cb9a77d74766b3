import type { Awaitable } from "../base/awaitable.ts";
import type { PacedStream } from "../base/paced-stream.ts";
import { encodeEventCursor } from "../domain/event-cursor.ts";
import type { EventBatch } from "../operations/events/read-events.ts";
import type { EventWait } from "./event-wait.ts";
import { toMessages } from "./formats.ts";
import type { EventReader } from "./readers.ts";

interface StreamSource extends Pick<EventReader, "check"> {
  startWait(): EventWait;
  read(batch: EventBatch): Awaitable<EventBatch>;
  enter(reader: EventReader): () => void;
}

/** Sends server-sent events, and reads none ahead for a slow reader. Returns a function to call when the reader has disconnected. */
export function streamEvents(body: PacedStream, first: EventBatch, source: StreamSource): () => void {
  let isFinishing = false;
  let sentAt = performance.now();
  const isQuiet = () => performance.now() - sentAt >= heartbeatMs;
  const send = async (text: string | Uint8Array) => {
    sentAt = performance.now();
    await body.send(typeof text === "string" ? encoder.encode(text) : text);
  };
  /**
   * A heartbeat also ends the wait, because a store that was restored does not report its new events. The heartbeat carries the position,
   * so that a reader with a selective filter does not resume from an old position.
   */
  const waitForMore = async ({ next }: EventBatch) => {
    await wait.waitForEvents();
    if (isQuiet() && !wait.isOver) await send(`: still here\nid: ${encodeEventCursor(next)}\n\n`);
  };
  const run = async () => {
    try {
      await send(": events follow\n\n");
      for (let batch = first; !wait.isOver; batch = await source.read(batch)) {
        if (batch.events.length > 0) await send(toMessages(batch));
        if (!batch.hasMore) await waitForMore(batch);
      }
      // A random delay keeps all readers from reconnecting to other instances at the same moment.
      if (isFinishing) await send(`retry: ${Math.round(500 + Math.random() * 1_500)}\n\n`);
    } catch {
      // The reader reconnects, and the status of the new response tells it what is wrong.
    } finally {
      body.end();
      close();
    }
  };
  const leave = source.enter({
    check: source.check,
    refuse(error) {
      body.shortenTimeout();
      wait.refuse(error);
    },
    wakeIfQuiet() {
      if (isQuiet()) wait.wakeUp();
    },
    finish() {
      isFinishing = true;
      body.shortenTimeout();
      wait.finish();
    },
  });
  const wait = source.startWait();
  const close = () => {
    body.abandon();
    wait.finish();
    leave();
  };
  void run();
  return close;
}

const encoder = new TextEncoder();

export const heartbeatMs = 10_000;
