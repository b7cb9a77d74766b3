import type { Awaitable } from "../base/awaitable.ts";
import { ChunkedDecoder } from "./chunked.ts";

export interface CollectLimits {
  readonly maxBytes: number;
  readonly maxChunks: number;
  /** The budget for the bytes of an incomplete body beyond the first `uncountedBodyBytes`. */
  readonly memory?: MemoryBudget | undefined;
}

export interface MemoryBudget {
  /** Returns false, and reserves nothing, if fewer bytes are left. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
}

/** The body of a request as it arrives. Bytes are buffered until a handler collects them; the connection limits their number. */
export class IncomingBody {
  receivedBytes = 0;
  isComplete: boolean;
  failure: BodyError | undefined;
  #remainingBytes: number;
  readonly #decoder: ChunkedDecoder | undefined;
  #pieces: Buffer[] = [];
  #bufferedBytes = 0;
  #reservedBytes = 0;
  #isDiscarded = false;
  #limits: CollectLimits | undefined;
  #collected: PromiseWithResolvers<Uint8Array> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** `onAwaited` is called when a handler waits for the body, so that the connection can send `100 Continue`. */
  constructor(
    length: number | "chunked",
    readonly onAwaited: () => void,
  ) {
    this.#remainingBytes = length === "chunked" ? 0 : length;
    this.#decoder = length === "chunked" ? new ChunkedDecoder() : undefined;
    this.isComplete = length === 0;
  }

  get isOpen(): boolean {
    return !this.isComplete && !this.failure;
  }

  get unclaimedBytes(): number {
    return this.#limits ? 0 : this.#bufferedBytes;
  }

  get unreservedBytes(): number {
    return this.#bufferedBytes - this.#reservedBytes;
  }

  collect(limits: CollectLimits): Awaitable<Uint8Array> {
    this.#limits = limits;
    const failure = this.failure ?? this.#reserveMemory(limits);
    if (failure) {
      this.discard();
      throw failure;
    }
    if (this.isComplete) return this.#takeBuffered();
    this.#collected = Promise.withResolvers();
    this.onAwaited();
    return this.#collected.promise;
  }

  discard(): void {
    this.#isDiscarded = true;
    this.#release();
  }

  /** Receives and discards the rest of the body. Returns true if the body was received completely. */
  async drain(): Promise<boolean> {
    this.discard();
    if (this.isOpen) {
      this.#drained ??= Promise.withResolvers();
      this.onAwaited();
      await this.#drained.promise;
    }
    return this.isComplete;
  }

  feed(bytes: Buffer): number {
    if (this.#decoder) return this.#feedChunks(this.#decoder, bytes);
    const piece = bytes.subarray(0, this.#remainingBytes);
    this.#remainingBytes -= piece.length;
    this.#buffer(piece);
    if (this.#remainingBytes === 0) this.#complete();
    return piece.length;
  }

  fail(reason: BodyError["reason"]): void {
    if (!this.isOpen) return;
    this.failure = new BodyError(reason);
    this.discard();
    this.#collected?.reject(this.failure);
    this.#drained?.resolve();
  }

  #feedChunks(decoder: ChunkedDecoder, bytes: Buffer): number {
    try {
      const bodyBytes = decoder.decode(bytes, (piece) => this.#buffer(piece));
      this.#rejectExcess();
      if (decoder.isComplete) this.#complete();
      return bodyBytes;
    } catch {
      this.fail("malformed");
      return bytes.length;
    }
  }

  #buffer(piece: Buffer): void {
    this.receivedBytes += piece.length;
    if (this.#isDiscarded) return;
    // A small piece is copied, so that it does not keep the whole network buffer in memory; many pieces are joined to reduce overhead.
    this.#pieces.push(piece.length < piece.buffer.byteLength / 2 ? Buffer.from(piece) : piece);
    this.#bufferedBytes += piece.length;
    if (this.#pieces.length > maxPieces) this.#pieces = [Buffer.concat(this.#pieces)];
    this.#rejectExcess();
  }

  #rejectExcess(): void {
    const error = this.#collected && this.#limits && this.#reserveMemory(this.#limits);
    if (!error) return;
    this.discard();
    this.#collected?.reject(error);
    this.#collected = undefined;
  }

  /** Reserves memory, or returns an error if a limit is exceeded. The connection already counts the bytes of a complete body. */
  #reserveMemory({ maxBytes, maxChunks, memory }: CollectLimits): BodyError | undefined {
    if (this.receivedBytes > maxBytes) return new BodyError("tooLarge");
    if ((this.#decoder?.chunkCount ?? 0) > maxChunks) return new BodyError("tooManyChunks");
    const bytes = this.#bufferedBytes - uncountedBodyBytes - this.#reservedBytes;
    if (!memory || bytes <= 0 || this.isComplete) return undefined;
    if (!memory.reserve(bytes)) return new BodyError("noMemory");
    this.#reservedBytes += bytes;
    return undefined;
  }

  #complete(): void {
    this.isComplete = true;
    this.#collected?.resolve(this.#takeBuffered());
    this.#drained?.resolve();
  }

  #release(): void {
    this.#pieces = [];
    this.#bufferedBytes = 0;
    this.#limits?.memory?.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  #takeBuffered(): Uint8Array {
    const pieces = this.#pieces;
    this.#release();
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }
}

const maxPieces = 1_024;
/** Bytes of each body that need no reservation, because the limit on connections bounds their total. */
export const uncountedBodyBytes = 64 * 1024;

export class BodyError extends Error {
  constructor(readonly reason: "tooLarge" | "tooManyChunks" | "noMemory" | "incomplete" | "malformed") {
    super(reason);
  }
}
