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
    const pace = new Pace(this.#reader);
    const timer = setInterval(() => {
      if (!pace.look()) this.#giveUp();
    }, this.#reader.patienceMs / 2);
    try {
      await piece.promise;
    } finally {
      clearInterval(timer);
      this.#piece = undefined;
    }
    await nextTurn();
  }

  /** The service is about to stop: a reader that takes nothing is not waited for. */
  hurry(): void {
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
    this.#controller?.error(new ReaderGone());
    this.leave();
  }

  /** The reader has left, or is given up. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#piece?.reject(new ReaderGone());
    this.#reader.onGone?.();
  }

  #giveUp(): void {
    // Whatever ends the stream would wait in line behind what was not taken.
    this.#reader.cutIfStalled();
    this.fail();
  }
}

/**
 * How fast a reader takes a piece. Before the system wants more for it, a good part of the megabytes must be gone that the system
 * holds by then: for a slow reader, that takes longer than one that takes nothing may keep others waiting.
 */
class Pace {
  #unsent: number | undefined;
  #looksInVain = 0;

  constructor(readonly reader: StreamReader) {}

  /** Called twice in the time that a reader has. Returns whether to wait on. */
  look(): boolean {
    const { patienceMs } = this.reader;
    const unsent = this.reader.unsentBytes();
    const taken = this.#unsent !== undefined && unsent !== undefined ? this.#unsent - unsent : 0;
    this.#unsent = unsent;
    const isReading = taken >= (patienceMs / 2) * leastBytesPerMs;
    if (isReading) this.reader.keepOpen();
    this.#looksInVain = isReading ? 0 : this.#looksInVain + 1;
    return this.#looksInVain < 2;
  }
}

const leastBytesPerMs = 1;

/** Whom a stream is for. */
export interface StreamReader {
  /** How long it may leave what it is sent. */
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
