export type BufferKind = "input" | "output";

export interface BufferOwner {
  /** True if the latest request had a valid key. Trusted connections are disconnected last. */
  readonly isTrusted: boolean;
  drop(kind: BufferKind): void;
}

/**
 * Limits the bytes that all connections buffer together, so that no number of clients can exhaust the memory. Beyond the limit, the
 * connections with the least recently changed buffers are disconnected. Connections with small buffers are spared, because a flood would
 * otherwise disconnect new clients that have sent a single request.
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
    // All buffers below this size add up to at most a quarter of the limit, so dropping them would free too little.
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
