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
  #left: number;
  readonly #decoder: ChunkedDecoder | undefined;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #reservedBytes = 0;
  #isDiscarded = false;
  #limits: CollectLimits | undefined;
  #collecting: PromiseWithResolvers<Uint8Array> | undefined;
  #draining: PromiseWithResolvers<void> | undefined;

  /** `onAwaited` is called when a handler waits for the body, so that the connection can send `100 Continue`. */
  constructor(
    length: number | "chunked",
    readonly onAwaited: () => void,
  ) {
    this.#left = length === "chunked" ? 0 : length;
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
    const failure = this.failure ?? this.#claimMemory(limits);
    if (failure) {
      this.discard();
      throw failure;
    }
    if (this.isComplete) return this.#takeBuffered();
    this.#collecting = Promise.withResolvers();
    this.onAwaited();
    return this.#collecting.promise;
  }

  discard(): void {
    this.#isDiscarded = true;
    this.#release();
  }

  /** Receives and discards the rest of the body. Returns true if the body was received completely. */
  async drain(): Promise<boolean> {
    this.discard();
    if (this.isOpen) {
      this.#draining ??= Promise.withResolvers();
      this.onAwaited();
      await this.#draining.promise;
    }
    return this.isComplete;
  }

  feed(bytes: Buffer): number {
    if (this.#decoder) return this.#feedChunks(this.#decoder, bytes);
    const piece = bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    this.#buffer(piece);
    if (this.#left === 0) this.#complete();
    return piece.length;
  }

  fail(reason: BodyError["reason"]): void {
    if (!this.isOpen) return;
    this.failure = new BodyError(reason);
    this.discard();
    this.#collecting?.reject(this.failure);
    this.#draining?.resolve();
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
    this.#buffered.push(piece.length < piece.buffer.byteLength / 2 ? Buffer.from(piece) : piece);
    this.#bufferedBytes += piece.length;
    if (this.#buffered.length > maxPieces) this.#buffered = [Buffer.concat(this.#buffered)];
    this.#rejectExcess();
  }

  #rejectExcess(): void {
    const excess = this.#collecting && this.#limits && this.#claimMemory(this.#limits);
    if (!excess) return;
    this.discard();
    this.#collecting?.reject(excess);
    this.#collecting = undefined;
  }

  /** Reserves memory, or returns an error if a limit is exceeded. The connection already counts the bytes of a complete body. */
  #claimMemory({ maxBytes, maxChunks, memory }: CollectLimits): BodyError | undefined {
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
    this.#collecting?.resolve(this.#takeBuffered());
    this.#draining?.resolve();
  }

  #release(): void {
    this.#buffered = [];
    this.#bufferedBytes = 0;
    this.#limits?.memory?.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  #takeBuffered(): Uint8Array {
    const buffered = this.#buffered;
    this.#release();
    return buffered.length === 1 && buffered[0] ? buffered[0] : Buffer.concat(buffered);
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
