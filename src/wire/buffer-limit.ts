/** Input that waits to be processed, or output that clients have yet to read. */
export type BufferKind = "input" | "output";

/** A connection whose buffered bytes count towards a limit. */
export interface BufferOwner {
  /** A trusted connection is disconnected only after all others that hold more than little. */
  readonly isTrusted: boolean;
  /** Discards what it has buffered, and disconnects its client. */
  drop(kind: BufferKind): void;
}

/**
 * Limits the bytes that all connections buffer together. Beyond the limit, the connections whose buffers have not moved for the longest
 * are disconnected, so that clients cannot fill the memory, however many they are. Connections that hold little are spared: a flood
 * would otherwise disconnect the new clients that wait for their turn with a single request.
 */
export class BufferLimit {
  bytes = 0;
  droppedCount = 0;
  /** In the order in which their buffers last moved. */
  readonly #owners = new Map<BufferOwner, number>();

  constructor(
    readonly kind: BufferKind,
    readonly maxBytes = defaultMaxBufferedBytes,
  ) {}

  /** Sets how much a connection holds, whose buffer has just moved. */
  hold(owner: BufferOwner, bytes: number): void {
    this.release(owner);
    if (bytes === 0) return;
    this.#owners.set(owner, bytes);
    this.bytes += bytes;
    // Connections that hold less cannot reach the limit together.
    const minBytes = this.maxBytes / this.#owners.size / 4;
    for (const isTrusted of [false, true]) {
      for (const [oldest, heldBytes] of this.#owners) {
        if (this.bytes <= this.maxBytes) return;
        if (oldest.isTrusted !== isTrusted || heldBytes < minBytes) continue;
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
