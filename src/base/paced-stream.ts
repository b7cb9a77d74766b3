import { nextTurn } from "./turn.ts";

/**
 * Bytes that are sent piece by piece, no faster than they are taken: what waits for a reader is never more than one piece. A reader
 * that takes next to nothing for long is given up.
 */
export class PacedStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #reader: StreamReader;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #piece: PromiseWithResolvers<void> | undefined;
  #isHurried = false;
  #isOver = false;

  constructor(reader: StreamReader) {
    this.#reader = reader;
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
    if (this.#isHurried) this.#reader.cutIfStalled();
    const pace = new Pace(this.#reader.patienceMs);
    const timer = setInterval(() => {
      const isReading = pace.look(this.#reader.unsentBytes());
      if (pace.isStalled) this.fail();
      else if (isReading && !this.#isHurried) this.#reader.keepOpen();
    }, this.#reader.patienceMs / looks);
    try {
      await piece.promise;
    } finally {
      clearInterval(timer);
      this.#piece = undefined;
    }
    await nextTurn();
  }

  /** The stream is about to end: a reader that takes nothing is not waited for. */
  hurry(): void {
    // Its time would begin anew with every call.
    if (this.#isHurried) return;
    this.#isHurried = true;
    if (this.#piece) this.#reader.cutIfStalled();
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
    this.#reader.cutIfStalled();
    this.leave();
  }

  /** The reader has left, or is given up. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Whoever sends the stream waits for more of it.
    this.#controller?.error(new ReaderGone());
    this.#piece?.reject(new ReaderGone());
    this.#reader.onGone?.();
  }
}

/**
 * Whether a reader takes something while a piece waits for it. Before the system asks for more, a good part of the megabytes must be
 * gone that it holds by then: for a slow reader, that takes longer than one that takes nothing may keep others waiting.
 */
class Pace {
  readonly #leastBytes: number;
  #unsent: number | undefined;
  #looksInVain = 0;

  constructor(patienceMs: number) {
    this.#leastBytes = patienceMs * leastBytesPerMs;
  }

  get isStalled(): boolean {
    return this.#looksInVain >= looks;
  }

  /**
   * Called as often as there are looks in the time that a reader has, with what it has not taken by then, if that is known. Returns
   * whether it has taken something.
   */
  look(unsent: number | undefined): boolean {
    const before = this.#unsent;
    // If there is more of it, enough was taken for more to be sent.
    const isReading =
      before !== undefined && unsent !== undefined && (unsent > before || before - unsent >= this.#leastBytes);
    if (before === undefined || isReading) this.#unsent = unsent;
    this.#looksInVain = isReading ? 0 : this.#looksInVain + 1;
    return isReading;
  }
}

const looks = 6;
const leastBytesPerMs = 1;

/** Whom a stream is for. */
export interface StreamReader {
  /** For how long it may take next to nothing of what it is sent. */
  readonly patienceMs: number;
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
