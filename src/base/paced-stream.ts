import { nextTurn } from "./turn.ts";

/**
 * Bytes that are sent piece by piece, no faster than they are taken: what waits for a reader is never more than one piece. A reader
 * that takes next to nothing for long is given up.
 */
export class PacedStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #piece: PromiseWithResolvers<void> | undefined;
  #isHurried = false;
  #isOver = false;

  constructor(readonly reader: StreamReader) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#piece?.resolve(),
        cancel: () => this.leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Returns once it was taken, and never in the same turn: a reader that is quick to take keeps nobody waiting. Throws ReaderGone. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) throw new ReaderGone();
    const piece = Promise.withResolvers<void>();
    this.#piece = piece;
    this.#controller?.enqueue(bytes);
    if (this.#isHurried) this.reader.cutIfStalled();
    const timer = this.#watchReader();
    try {
      await piece.promise;
    } finally {
      clearInterval(timer);
      this.#piece = undefined;
    }
    await nextTurn();
  }

  /**
   * Gives the reader up if it takes less than its minimum of what the system holds for it. The system asks for more only once a good
   * part of its megabytes is gone, which takes a slow reader longer than one that takes nothing may keep others waiting.
   */
  #watchReader(): Timer {
    const { patienceMs } = this.reader;
    let before: number | undefined;
    let looksInVain = 0;
    const look = () => {
      const unsent = this.reader.unsentBytes();
      const minBytes = patienceMs * this.reader.minBytesPerMs();
      // If there is more of it, enough was taken for more to be sent.
      const isReading =
        before !== undefined && unsent !== undefined && (unsent > before || before - unsent >= minBytes);
      if (before === undefined || isReading) before = unsent;
      looksInVain = isReading ? 0 : looksInVain + 1;
      if (looksInVain >= looks) this.fail();
      else if (isReading && !this.#isHurried) this.reader.keepOpen();
    };
    return setInterval(look, patienceMs / looks);
  }

  /** The stream is about to end: a reader that takes nothing is not waited for. */
  hurry(): void {
    // Its time would begin anew with every call.
    if (this.#isHurried) return;
    this.#isHurried = true;
    if (this.#piece) this.reader.cutIfStalled();
  }

  /** Ends it as a whole. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.close();
  }

  /** Ends it so that the reader sees that something is missing. */
  fail(): void {
    if (this.#isOver) return;
    // Whatever ends the stream waits in line behind what was not taken.
    this.reader.cutIfStalled();
    this.leave();
  }

  /** The reader has left, or is given up. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Whoever sends the stream waits for more of it.
    this.#controller?.error(new ReaderGone());
    this.#piece?.reject(new ReaderGone());
    this.reader.onGone?.();
  }
}

const looks = 6;

/** Whom a stream is for. */
export interface StreamReader {
  /** Time within which the reader must take as much as its minimum rate requires. */
  readonly patienceMs: number;
  minBytesPerMs(): number;
  /** How much of what it was sent it has not taken, if that is known. */
  unsentBytes(): number | undefined;
  /** Lets nothing else cut it off for a while. */
  keepOpen(): void;
  /** Cuts its connection off, within some seconds, unless it takes what it is sent. */
  cutIfStalled(): void;
  /** Called once it has left. */
  onGone?(): void;
}

export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
