/** A connection with a response that waits for its client. */
export interface Waiter {
  /** Ends it at once, with what was not taken. */
  drop(): void;
}

/**
 * How much the responses hold together that their clients have yet to take. Beyond a limit, those connections end that nothing was
 * taken on for the longest, so that clients that do not read cannot fill the memory, however many they are.
 */
export class UnreadResponses {
  /** How many connections were ended because of the limit. */
  dropped = 0;
  #bytes = 0;
  /** In the order in which their clients last took something. */
  readonly #waiting = new Map<Waiter, number>();

  constructor(readonly mostBytes = usualUnreadBytes) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** So much waits now for a client that has just taken something, or has something new to take. */
  hold(waiter: Waiter, bytes: number): void {
    this.release(waiter);
    if (bytes === 0) return;
    this.#waiting.set(waiter, bytes);
    this.#bytes += bytes;
    for (const longest of this.#waiting.keys()) {
      if (this.#bytes <= this.mostBytes) return;
      this.release(longest);
      this.dropped++;
      longest.drop();
    }
  }

  release(waiter: Waiter): void {
    this.#bytes -= this.#waiting.get(waiter) ?? 0;
    this.#waiting.delete(waiter);
  }
}

export const usualUnreadBytes = 64 * 1024 * 1024;
