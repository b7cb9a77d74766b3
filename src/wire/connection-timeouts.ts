export interface ConnectionLimits {
  readonly maxHeadBytes: number;
  readonly idleMs: number;
  readonly headMs: number;
  /** The short write timeout, and the time without progress after which a client counts as stalled. */
  readonly stalledMs: number;
  /** Time for which a connection still receives after its last response. */
  readonly lingerMs: number;
}

/** Keeps the deadline by which the client must make progress: send the head or the body of a request, or read the response. */
export class ConnectionTimeouts {
  #deadline: number;
  #idleDeadline: number;
  /** True once part of a head has arrived. Initially true, because the first head must arrive within `headMs` of the connection's start. */
  #isInHead = true;
  #hasShortWriteTimeout = false;
  /** The time at which the client last acknowledged bytes. */
  #stalledSinceMs = 0;
  #unsentBytes = 0;

  constructor(
    readonly clock: { readonly nowMs: number },
    readonly limits: Omit<ConnectionLimits, "maxHeadBytes">,
  ) {
    this.#deadline = clock.nowMs + limits.headMs;
    this.#idleDeadline = this.#deadline;
  }

  get isExpired(): boolean {
    return this.clock.nowMs >= this.#deadline;
  }

  startIdleTimeout(): void {
    this.#isInHead = false;
    this.#hasShortWriteTimeout = false;
    this.#idleDeadline = this.clock.nowMs + this.limits.idleMs;
  }

  /** Empty lines between requests do not extend the deadline. */
  resumeIdleTimeout(): void {
    this.#isInHead = false;
    this.#deadline = this.#idleDeadline;
  }

  /** Further parts of the head do not extend the deadline. */
  startHeadTimeout(): void {
    if (this.#isInHead) return;
    this.#isInHead = true;
    this.#deadline = this.clock.nowMs + Math.min(this.limits.headMs, this.limits.idleMs);
  }

  /** Called whenever part of a body arrives that no handler reads. */
  restartBodyTimeout(): void {
    this.#idleDeadline = this.clock.nowMs + this.limits.idleMs;
    this.#deadline = this.#idleDeadline;
  }

  clearDeadline(): void {
    this.#isInHead = false;
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  useShortWriteTimeout(isShort: boolean): void {
    this.#hasShortWriteTimeout = isShort;
  }

  /** Called when a response is buffered, and whenever the client has read part of the response. */
  startWriteTimeout(): void {
    this.#stalledSinceMs = this.clock.nowMs;
    this.#unsentBytes = 0;
    this.#deadline = this.clock.nowMs + (this.#hasShortWriteTimeout ? this.limits.stalledMs : this.limits.idleMs);
  }

  isStalled(unsentBytes: number): boolean {
    // Unsent bytes show progress early: the kernel accepts more output only after much of its buffer is free.
    if (unsentBytes < this.#unsentBytes) this.#stalledSinceMs = this.clock.nowMs;
    this.#unsentBytes = unsentBytes;
    return this.clock.nowMs >= this.#stalledSinceMs + this.limits.stalledMs;
  }

  startLingerTimeout(): void {
    this.#deadline = this.clock.nowMs + this.limits.lingerMs;
  }
}
