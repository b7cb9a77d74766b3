export type BufferKind = "input" | "output";

export interface BufferOwner {
  /** A trusted connection is disconnected only after all others with large buffers. */
  readonly isTrusted: boolean;
  drop(kind: BufferKind): void;
}

/**
 * Limits the bytes that all connections buffer together. Beyond the limit, the connections whose buffers have not changed for the
 * longest are disconnected, so clients cannot exhaust the memory, however many they are. Small buffers are spared: a flood would
 * otherwise disconnect new clients that wait with a single request.
 */
export class BufferLimit {
  bytes = 0;
  droppedCount = 0;
  /** The buffered bytes of each owner, in the order of their last change. */
  readonly #owners = new Map<BufferOwner, number>();

  constructor(
    readonly kind: BufferKind,
    readonly maxBytes = defaultMaxBufferedBytes,
  ) {}

  setBytes(owner: BufferOwner, bytes: number): void {
    this.release(owner);
    if (bytes === 0) return;
    this.#owners.set(owner, bytes);
    this.bytes += bytes;
    // Smaller buffers cannot reach the limit even together, so they are spared.
    const minBytes = this.maxBytes / this.#owners.size / 4;
    for (const isTrusted of [false, true]) {
      for (const [oldest, bufferedBytes] of this.#owners) {
        if (this.bytes <= this.maxBytes) return;
        if (oldest.isTrusted !== isTrusted || bufferedBytes < minBytes) continue;
        this.release(oldest);
        this.droppedCount++;
        oldest.drop(this.kind);
      }
    }
  }

  release(owner: BufferOwner): void {
    this.bytes -= this.#owners.get(owner) ?? 0;
    this.#owners.delete(owner);
  }
}

export class Buffers {
  constructor(
    readonly input = new BufferLimit("input"),
    readonly output = new BufferLimit("output"),
  ) {}
}

export const defaultMaxBufferedBytes = 64 * 1024 * 1024;
