/** A message of a stream of server-sent events. */
export interface Message {
  readonly id: string | undefined;
  /** Undefined if it only says how far the stream is. */
  readonly data: string | undefined;
}

/** Reads server-sent events out of pieces of text, wherever they were cut. What is incomplete at the end is dropped. */
export class MessageParser {
  /** How long the service wants its clients to wait before they come back. */
  retryMs: number | undefined;
  #rest = "";
  #id: string | undefined;
  #data: string[] = [];

  /** The messages that are complete with this piece. */
  *read(piece: string): Generator<Message> {
    const text = this.#rest + piece;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    // A carriage return at the very end may be the first half of a line break.
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = this.#take(line);
      if (message) yield message;
    }
  }

  #take(line: string): Message | undefined {
    if (line === "") return this.#finish();
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #finish(): Message | undefined {
    const data = this.#data.length > 0 ? this.#data.join("\n") : undefined;
    const message = data === undefined && this.#id === undefined ? undefined : { id: this.#id, data };
    this.#id = undefined;
    this.#data = [];
    return message;
  }
}
