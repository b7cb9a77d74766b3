import { ConnectionError } from "./errors.ts";
import type { Pet } from "./generated.ts";
import { parseJson } from "./json.ts";

/** All animals as of one moment, read as they arrive. An export can be read only once. */
export class PetExport implements AsyncIterable<Pet> {
  /** The position of that moment in the event log, from which to follow later changes. */
  readonly eventCursor: string;
  readonly #pieces: AsyncGenerator<string>;
  #isRead = false;

  constructor(eventCursor: string, pieces: AsyncGenerator<string>) {
    this.eventCursor = eventCursor;
    this.#pieces = pieces;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Pet, void, undefined> {
    if (this.#isRead) throw new TypeError("An export can be read only once. Request another one.");
    this.#isRead = true;
    let incompleteLine = "";
    for await (const piece of this.#pieces) {
      const lines = (incompleteLine + piece).split("\n");
      incompleteLine = lines.pop() ?? "";
      for (const line of lines) yield parseJson(line) as Pet;
    }
    if (incompleteLine !== "") throw new ConnectionError("The export ended in the middle of an animal. Start it over.");
  }
}
