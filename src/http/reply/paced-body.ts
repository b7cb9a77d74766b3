/**
 * A body that is sent piece by piece, no faster than it is taken: what waits for a reader is never more than one piece. A reader
 * that takes nothing for long is given up.
 */
export class PacedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #onGone: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #piece: PromiseWithResolvers<void> | undefined;
  #isOver = false;

  /** `onGone` is called once the reader has left. */
  constructor(onGone: () => void) {
    this.#onGone = onGone;
    this.stream = new ReadableStream<Uint8Array>(
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

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns once it was taken. Throws ReaderGone. */
  async send(text: string): Promise<void> {
    if (this.#isOver) throw new ReaderGone();
    const piece = Promise.withResolvers<void>();
    this.#piece = piece;
    this.#controller?.enqueue(encoder.encode(text));
    const timer = setTimeout(() => this.fail(), patienceMs);
    try {
      await piece.promise;
    } finally {
      clearTimeout(timer);
      this.#piece = undefined;
    }
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
    this.#onGone();
  }
}

export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

const encoder = new TextEncoder();
const patienceMs = 30_000;
