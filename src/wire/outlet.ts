/** What is written to a socket, in order. What the system does not take at once waits here. */
export class Outlet {
  #waiting: Uint8Array[] = [];
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

  /** Of a text that is not only ASCII, the number of its bytes must be given. */
  send(data: string | Uint8Array, bytes = data.length): void {
    if (this.#isClosed) return;
    if (this.isBlocked) {
      this.#waiting.push(asBytes(data));
      return;
    }
    const written = this.socket.write(data);
    if (written < 0) this.onBroken();
    else if (written < bytes) this.#waiting.push(asBytes(data).subarray(written));
  }

  /** Called when the system takes more. */
  flush(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const written = this.socket.write(first);
      if (written < 0) {
        this.onBroken();
        return;
      }
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written);
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

function asBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? Buffer.from(data) : data;
}
