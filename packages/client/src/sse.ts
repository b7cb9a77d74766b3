export interface Message {
  readonly id: string | undefined;
  /** Undefined in a message that only updates the position. */
  readonly data: string | undefined;
}

/** Parses server-sent events from text that is cut anywhere. An incomplete message at the end is dropped. */
export class MessageParser {
  retryMs: number | undefined;
  #incompleteLine = "";
  #id: string | undefined;
  #data: string[] = [];

  *read(piece: string): Generator<Message> {
    const text = this.#incompleteLine + piece;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    // A carriage return at the very end may be the first half of a line break.
    this.#incompleteLine = lines.pop() ?? "";
    for (const line of lines) {
      const message = this.#parseLine(line);
      if (message) yield message;
    }
  }

  #parseLine(line: string): Message | undefined {
    if (line === "") return this.#completeMessage();
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #completeMessage(): Message | undefined {
    const data = this.#data.length > 0 ? this.#data.join("\n") : undefined;
    const message = data === undefined && this.#id === undefined ? undefined : { id: this.#id, data };
    this.#id = undefined;
    this.#data = [];
    return message;
  }
}
