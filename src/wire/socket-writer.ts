/** Buffers the bytes that the kernel does not accept at once. */
export class SocketWriter {
  /** Number of bytes that the kernel has accepted. */
  writtenBytes = 0;
  /**
   * The unwritten rest of each buffer passed to `send`, and the memory that the buffer occupies until its last byte is written. Files
   * count as 0, because responses share their bytes.
   */
  #pending: { bytes: Uint8Array; readonly bufferedBytes: number }[] = [];
  #onDrained: (() => void) | undefined;
  #isClosed = false;

  /** `onBroken` reports a failed write, the only sign of a broken connection on a socket that receives nothing. */
  constructor(
    readonly socket: Pick<Bun.Socket<unknown>, "write">,
    readonly onBroken: () => void,
  ) {}

  get isBlocked(): boolean {
    return this.#pending.length > 0;
  }

  /** Number of bytes that only this writer keeps in memory. */
  get bufferedBytes(): number {
    return this.#pending.reduce((sum, { bufferedBytes }) => sum + bufferedBytes, 0);
  }

  /** Sends data; `byteLength` is required for text beyond ASCII, and `isShared` is true for files. */
  send(data: string | Uint8Array, byteLength = data.length, isShared = false): void {
    if (this.#isClosed) return;
    let written = 0;
    if (!this.isBlocked) {
      written = this.#write(data);
      if (written < 0) return;
      if (written >= byteLength) return;
    }
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    this.#pending.push({ bytes: bytes.subarray(written), bufferedBytes: isShared ? 0 : bytes.length });
  }

  flush(): void {
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const written = this.#write(first.bytes);
      if (written < 0) return;
      first.bytes = first.bytes.subarray(written);
      if (first.bytes.length > 0) return;
      this.#pending.shift();
    }
    this.#reportDrained();
  }

  #write(data: string | Uint8Array): number {
    const written = this.socket.write(data);
    if (written < 0) this.onBroken();
    else this.writtenBytes += written;
    return written;
  }

  /** Calls back once nothing is buffered any longer, because everything was written or the connection is closed. */
  onDrained(callback: () => void): void {
    this.#onDrained = callback;
  }

  close(): void {
    this.#isClosed = true;
    this.#pending = [];
    this.#reportDrained();
  }

  #reportDrained(): void {
    const callback = this.#onDrained;
    this.#onDrained = undefined;
    callback?.();
  }
}
