import type { Awaitable } from "../base/awaitable.ts";
import { ChunkedDecoder } from "./chunked.ts";

export interface CollectLimits {
  readonly bytes: number;
  readonly chunks: number;
  /** For what is more than a small body, until all of it has come. */
  readonly room?: Room;
}

/** What several bodies have together. */
export interface Room {
  /** Returns whether there was so much left. */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** The body of a request, as it arrives. What nobody has asked for yet is held, and its connection sees to it that this is little. */
export class IncomingBody {
  /** How many bytes of it have come. */
  bytes = 0;
  #left: number;
  readonly #chunked: ChunkedDecoder | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #roomTaken = 0;
  #isKept = true;
  #isComplete: boolean;
  #failure: BodyError | undefined;
  #limits: CollectLimits | undefined;
  #collecting: PromiseWithResolvers<Uint8Array> | undefined;
  #ending: PromiseWithResolvers<void> | undefined;

  /** Calls back once somebody waits for it, of which its client may have to be told. */
  constructor(
    length: number | "chunked",
    readonly onAwaited: () => void,
  ) {
    this.#left = length === "chunked" ? 0 : length;
    this.#chunked = length === "chunked" ? new ChunkedDecoder() : undefined;
    this.#isComplete = length === 0;
  }

  /** Whether all of it has come. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether more of it may come. */
  get isOpen(): boolean {
    return !this.#isComplete && !this.#failure;
  }

  /** Why it cannot be had, if that is known by now. */
  get failure(): BodyError | undefined {
    return this.#failure;
  }

  /** How many bytes wait here for somebody to ask for them. */
  get waitingBytes(): number {
    return this.#limits ? 0 : this.#heldBytes;
  }

  /** Bytes that are held here, other than those that the room of the limits counts. */
  get unaccountedBytes(): number {
    return this.#heldBytes - this.#roomTaken;
  }

  /** All of it, once it is there. Throws BodyError. */
  collect(limits: CollectLimits): Awaitable<Uint8Array> {
    this.#limits = limits;
    const failure = this.#failure ?? this.#excess() ?? this.#takeRoom();
    if (failure) {
      this.discard();
      throw failure;
    }
    if (this.#isComplete) return this.#takeHeld();
    this.#collecting = Promise.withResolvers();
    this.onAwaited();
    return this.#collecting.promise;
  }

  /** From now on, what comes of it is not kept. */
  discard(): void {
    this.#isKept = false;
    this.#release();
  }

  /** Lets it arrive and keeps nothing of it. Returns whether all of it has come in the end. */
  async drain(): Promise<boolean> {
    this.discard();
    if (this.isOpen) {
      this.#ending ??= Promise.withResolvers();
      this.onAwaited();
      await this.#ending.promise;
    }
    return this.#isComplete;
  }

  /** Takes what belongs to it, and returns how many bytes those are. */
  feed(bytes: Buffer): number {
    if (this.#chunked) return this.#feedChunks(this.#chunked, bytes);
    const piece = bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    this.#keep(piece);
    if (this.#left === 0) this.#complete();
    return piece.length;
  }

  /** Nothing more of it comes. */
  fail(reason: BodyError["reason"]): void {
    if (!this.isOpen) return;
    this.#failure = new BodyError(reason);
    this.discard();
    this.#collecting?.reject(this.#failure);
    this.#ending?.resolve();
  }

  #feedChunks(decoder: ChunkedDecoder, bytes: Buffer): number {
    try {
      const taken = decoder.take(bytes, (piece) => this.#keep(piece));
      this.#refuseExcess();
      if (decoder.isComplete) this.#complete();
      return taken;
    } catch {
      this.fail("malformed");
      return bytes.length;
    }
  }

  #keep(piece: Buffer): void {
    this.bytes += piece.length;
    if (!this.#isKept) return;
    // A small piece is not to keep all that came with it, nor are many of them to take more room than they hold.
    this.#held.push(piece.length < piece.buffer.byteLength / 2 ? Buffer.from(piece) : piece);
    this.#heldBytes += piece.length;
    if (this.#held.length > maxPieces) this.#held = [Buffer.concat(this.#held)];
    this.#refuseExcess();
  }

  /** Whoever wants no more than so much of it gets nothing of it. */
  #refuseExcess(): void {
    const excess = this.#collecting && (this.#excess() ?? this.#takeRoom());
    if (!excess) return;
    this.discard();
    this.#collecting?.reject(excess);
    this.#collecting = undefined;
  }

  #excess(): BodyError | undefined {
    const { bytes, chunks } = this.#limits ?? unlimited;
    if (this.bytes > bytes) return new BodyError("tooLarge");
    return (this.#chunked?.chunks ?? 0) > chunks ? new BodyError("tooManyChunks") : undefined;
  }

  /** All of a body that is complete was held before. */
  #takeRoom(): BodyError | undefined {
    const room = this.#limits?.room;
    const bytes = this.#heldBytes - uncountedBodyBytes - this.#roomTaken;
    if (!room || bytes <= 0 || this.#isComplete) return undefined;
    if (!room.take(bytes)) return new BodyError("noRoom");
    this.#roomTaken += bytes;
    return undefined;
  }

  #complete(): void {
    this.#isComplete = true;
    this.#collecting?.resolve(this.#takeHeld());
    this.#ending?.resolve();
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#limits?.room?.free(this.#roomTaken);
    this.#roomTaken = 0;
  }

  #takeHeld(): Uint8Array {
    const held = this.#held;
    this.#release();
    return held.length === 1 && held[0] ? held[0] : Buffer.concat(held);
  }
}

const maxPieces = 1_024;
/** Of these, there are no more than connections. */
export const uncountedBodyBytes = 64 * 1024;
const unlimited: CollectLimits = { bytes: Number.POSITIVE_INFINITY, chunks: Number.POSITIVE_INFINITY };

/** Why a body cannot be had. */
export class BodyError extends Error {
  override readonly name = "BodyError";

  constructor(readonly reason: "tooLarge" | "tooManyChunks" | "noRoom" | "incomplete" | "malformed") {
    super(reason);
  }
}
