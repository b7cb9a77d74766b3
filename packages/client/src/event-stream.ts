import { openText, sleep } from "./attempt.ts";
import { AnimalStoreError } from "./errors.ts";
import type { Event, Operations } from "./generated.ts";
import { parseJson } from "./json.ts";
import { List } from "./list.ts";
import { computeRetryDelayMs, type OptionsOf, type Sender } from "./sender.ts";
import { type Message, MessageParser } from "./sse.ts";

/** Events as they happen, each once and in order. After an interruption, the stream continues where it stopped. */
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

  /** The position of the stream. Another stream with this `cursor` continues after the last event that you received. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const text of this.texts()) yield parseJson(text) as Event;
  }

  /** Yields the JSON text of each event as the service sends it. Only the first connection has a limit of retries. */
  async *texts(): AsyncGenerator<string, void, undefined> {
    await this.#resolveLatest();
    let pieces = await this.#connect(this.#options);
    for (let failureCount = 0; ; ) {
      const parser = new MessageParser();
      try {
        for await (const piece of pieces) {
          failureCount = 0;
          yield* this.#yieldData(parser.read(piece));
        }
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
      }
      await sleep(computeRetryDelayMs(failureCount++, parser.retryMs), this.#options.signal);
      pieces = await this.#connect({ ...this.#options, ...unlimitedRetries });
    }
  }

  *#yieldData(messages: Iterable<Message>): Generator<string> {
    for (const { id, data } of messages) {
      this.#cursor = id ?? this.#cursor;
      if (data !== undefined) yield data;
    }
  }

  /** Gets the position of `latest`, so that a reconnection before the first event skips no event. */
  async #resolveLatest(): Promise<void> {
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

const unlimitedRetries = {
  maxRetries: Number.POSITIVE_INFINITY,
  deadlineMs: Number.POSITIVE_INFINITY,
  maxRetryAfterMs: Number.POSITIVE_INFINITY,
} as const;
