import { openText, sleep } from "./attempt.ts";
import { AnimalStoreError } from "./errors.ts";
import type { Event, Operations } from "./generated.ts";
import { parseJson } from "./json.ts";
import { List } from "./list.ts";
import { type OptionsOf, type Sender, waitBeforeRetry } from "./sender.ts";
import { type Message, MessageParser } from "./sse.ts";

/** Events as they happen, each once and in order. When the connection breaks, the stream continues where it was. */
export class EventStream implements AsyncIterable<Event> {
  readonly #sender: Sender;
  readonly #query: Operations["listEvents"]["query"];
  readonly #options: OptionsOf<"listEvents">;
  #cursor: string | undefined;

  constructor(sender: Sender, query: Operations["listEvents"]["query"], options: OptionsOf<"listEvents">) {
    this.#sender = sender;
    this.#query = query;
    this.#options = options;
    this.#cursor = options.lastEventId ?? query.cursor;
  }

  /** The position of the stream: another stream with this `cursor` continues after the last event that you got. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const text of this.texts()) yield parseJson(text) as Event;
  }

  /**
   * Yields the events as the service has sent them: JSON, byte for byte what a webhook gets. The first connection is attempted as often
   * as any call; later ones are attempted until one succeeds.
   */
  async *texts(): AsyncGenerator<string, void, undefined> {
    await this.#begin();
    let pieces = await this.#connect(this.#options);
    for (let failures = 0; ; ) {
      const parser = new MessageParser();
      try {
        for await (const piece of pieces) {
          failures = 0;
          yield* this.#take(parser.read(piece));
        }
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
      }
      await sleep(waitBeforeRetry(failures++, parser.retryMs), this.#options.signal);
      pieces = await this.#connect({ ...this.#options, ...withoutEnd });
    }
  }

  /** Yields the events of messages, and advances the cursor. */
  *#take(messages: Iterable<Message>): Generator<string> {
    for (const { id, data } of messages) {
      this.#cursor = id ?? this.#cursor;
      if (data !== undefined) yield data;
    }
  }

  /** Resolves `latest` now: a reconnection before the first event would otherwise skip the events in between. */
  async #begin(): Promise<void> {
    if (this.#cursor !== "latest") return;
    const { next } = await new List(this.#sender, "listEvents", { query: { cursor: "latest" } }, this.#options).page();
    this.#cursor = next;
  }

  #connect(options: OptionsOf<"listEvents">): PromiseLike<AsyncGenerator<string>> {
    const { cursor: _, ...query } = this.#query;
    return this.#sender.open(
      "listEvents",
      { query, accept: mediaType },
      { ...options, lastEventId: this.#cursor },
      (response, attempt) => openText(response, attempt, mediaType, maxPauseMs),
    );
  }
}

const mediaType = "text/event-stream";

/** The service sends something at least every 10 seconds. */
const maxPauseMs = 30_000;

const withoutEnd = {
  maxRetries: Number.POSITIVE_INFINITY,
  deadlineMs: Number.POSITIVE_INFINITY,
  maxRetryAfterMs: Number.POSITIVE_INFINITY,
} as const;
