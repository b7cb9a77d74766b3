/** What is written to a socket, in order. What the system does not take at once waits here. */
export class SocketWriter {
  /** Number of bytes that the system has taken. */
  writtenBytes = 0;
  #waiting: Piece[] = [];
  #whenFree: (() => void) | undefined;
  #isClosed = false;

  /** Calls back if the connection turns out to be broken, which a socket that receives nothing is not told in any other way. */
  constructor(
    readonly socket: Pick<Bun.Socket<unknown>, "write">,
    readonly onBroken: () => void,
  ) {}

  /** Whether something waits to be taken. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Memory that is held only because it waits here: files do not count, because other responses share them. */
  get heldBytes(): number {
    return this.#waiting.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
  }

  /** A text that is not only ASCII needs the number of its bytes. `isShared` is true for files. */
  send(data: string | Uint8Array, bytes = data.length, isShared = false): void {
    if (this.#isClosed) return;
    if (this.isBlocked) {
      this.#waiting.push(pieceOf(data, isShared));
      return;
    }
    const written = this.socket.write(data);
    this.writtenBytes += Math.max(0, written);
    if (written < 0) this.onBroken();
    else if (written < bytes) this.#waiting.push(restOf(pieceOf(data, isShared), written));
  }

  /** Called when the system takes more. */
  flush(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const written = this.socket.write(first.bytes);
      if (written < 0) {
        this.onBroken();
        return;
      }
      this.writtenBytes += written;
      if (written < first.bytes.length) {
        this.#waiting[0] = restOf(first, written);
        return;
      }
      this.#waiting.shift();
    }
    this.#free();
  }

  /** Calls back once nothing waits any more, because it was taken, or never will be. */
  whenFree(call: () => void): void {
    this.#whenFree = call;
  }

  /** Nothing more is taken. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#free();
  }

  #free(): void {
    const call = this.#whenFree;
    this.#whenFree = undefined;
    call?.();
  }
}

/** What is left of something to be sent. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly heldBytes: number;
}

function pieceOf(data: string | Uint8Array, isShared: boolean): Piece {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  return { bytes, heldBytes: isShared ? 0 : bytes.length };
}

/** All of it is held for as long as any of it is. */
function restOf({ bytes, heldBytes }: Piece, written: number): Piece {
  return { bytes: bytes.subarray(written), heldBytes };
}
