import { nextTick } from "./tick.ts";

/** A stream that disconnects a slow reader. The rate is measured across pieces, because the kernel takes them in bursts. */
export class PacedStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #pendingPiece: PromiseWithResolvers<void> | undefined;
  #isTimeoutShortened = false;
  #isOver = false;
  #waitedMsSinceCheck = 0;
  /** Number of bytes that the reader had taken when it last reached its minimum rate. */
  #lastTakenBytes: number | undefined;
  #failedCheckCount = 0;

  constructor(readonly reader: StreamReader) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pendingPiece?.resolve(),
        cancel: () => this.abandon(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Sends bytes, waits until the reader has taken them, and yields for a tick: otherwise, a fast reader would starve other requests. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) throw new ReaderGone();
    const piece = Promise.withResolvers<void>();
    this.#pendingPiece = piece;
    this.#controller?.enqueue(bytes);
    if (this.#isTimeoutShortened) this.reader.closeIfStalled();
    const checkIntervalMs = this.reader.timeoutMs / maxFailedChecks;
    let waitingSince = performance.now();
    const timer = setInterval(() => {
      waitingSince = performance.now();
      this.#checkReader();
    }, checkIntervalMs);
    try {
      await piece.promise;
    } finally {
      clearInterval(timer);
      this.#pendingPiece = undefined;
    }
    this.#waitedMsSinceCheck += performance.now() - waitingSince;
    if (this.#waitedMsSinceCheck >= checkIntervalMs) this.#checkReader();
    await nextTick();
  }

  #checkReader(): void {
    this.#waitedMsSinceCheck = 0;
    const takenBytes = this.reader.acknowledgedBytes();
    const minBytes = this.reader.timeoutMs * this.reader.minBytesPerMs();
    const isReading = this.#lastTakenBytes !== undefined && takenBytes - this.#lastTakenBytes >= minBytes;
    if (this.#lastTakenBytes === undefined || isReading) this.#lastTakenBytes = takenBytes;
    this.#failedCheckCount = isReading ? 0 : this.#failedCheckCount + 1;
    if (this.#failedCheckCount >= maxFailedChecks) this.fail();
    else if (isReading && !this.#isTimeoutShortened) this.reader.keepOpen();
  }

  /** Gives a stalled reader less time, because the stream is about to end. */
  shortenTimeout(): void {
    // A second call would give the reader more time.
    if (this.#isTimeoutShortened) return;
    this.#isTimeoutShortened = true;
    if (this.#pendingPiece) this.reader.closeIfStalled();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.close();
  }

  /** Ends the stream with an error, so that the reader does not mistake it for complete. */
  fail(): void {
    if (this.#isOver) return;
    // The end of the stream is queued behind bytes that the reader may never take.
    this.reader.closeIfStalled();
    this.abandon();
  }

  abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.error(new ReaderGone());
    this.#pendingPiece?.reject(new ReaderGone());
    this.reader.onGone?.();
  }
}

const maxFailedChecks = 6;

export interface StreamReader {
  readonly timeoutMs: number;
  minBytesPerMs(): number;
  /** Returns the number of bytes whose receipt the reader's connection has acknowledged. */
  acknowledgedBytes(): number;
  /** Postpones other timeouts of the connection. */
  keepOpen(): void;
  /** Closes the connection within seconds, unless the reader makes progress. */
  closeIfStalled(): void;
  onGone?(): void;
}

export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
