export interface TimeoutLimits {
  /** For how long a connection may stay open on which nothing moves. */
  readonly idleMs: number;
  /** How long the head of a request may take to arrive. */
  readonly headMs: number;
  /** For how long a client that is to be cut off may take nothing. */
  readonly stalledMs: number;
  /** For how long, after its last response, a connection receives what its client still sends. */
  readonly lingerMs: number;
}

/** Coarse, so that to look at it costs nothing. */
export interface Clock {
  readonly nowMs: number;
}

/** For how long a connection waits for its client: for a request, for the rest of it, or to take the response. */
export class ConnectionTimeouts {
  /** When the connection is given up. */
  #deadline: number;
  /** When it is, as long as nothing of another request has come. */
  #idleDeadline: number;
  /** Whether a part of a head has come. The time of the first one is that of the connection. */
  #isInHead = true;
  #isHurried = false;
  /** Since when the client has taken nothing of what waits for it. */
  #stalledSinceMs = 0;
  /** How much of that the system had at the last look, if it was looked at since then. */
  #unsentAtLook = 0;

  constructor(
    readonly clock: Clock,
    readonly limits: TimeoutLimits,
  ) {
    this.#deadline = clock.nowMs + limits.headMs;
    this.#idleDeadline = this.#deadline;
  }

  get isOver(): boolean {
    return this.clock.nowMs >= this.#deadline;
  }

  /** The next request may come. */
  beIdle(): void {
    this.#isInHead = false;
    this.#isHurried = false;
    this.#idleDeadline = this.clock.nowMs + this.limits.idleMs;
  }

  /** Nothing of the next request is there: empty lines leave the time as it was. Before the first, it is no more than a head may take. */
  awaitRequest(): void {
    this.#isInHead = false;
    this.#deadline = this.#idleDeadline;
  }

  /** A part of a head is there. */
  awaitRestOfHead(): void {
    if (this.#isInHead) return;
    this.#isInHead = true;
    this.#deadline = this.clock.nowMs + Math.min(this.limits.headMs, this.limits.idleMs);
  }

  /** The head is whole. */
  beginRequest(): void {
    this.#isInHead = false;
  }

  /** Nobody has asked for what comes of a body, which is moving. */
  awaitRestOfBody(): void {
    this.#idleDeadline = this.clock.nowMs + this.limits.idleMs;
    this.#deadline = this.#idleDeadline;
  }

  /** It is the service that the client waits for. */
  waitForEver(): void {
    this.#isInHead = false;
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  /** Whether the client is to be cut off sooner if it takes nothing. */
  hurry(isHurried: boolean): void {
    this.#isHurried = isHurried;
  }

  /** The client has a response to take, or has taken a part of it. */
  awaitTaking(): void {
    const { nowMs } = this.clock;
    this.#stalledSinceMs = nowMs;
    this.#unsentAtLook = 0;
    this.#deadline = nowMs + (this.#isHurried ? this.limits.stalledMs : this.limits.idleMs);
  }

  /** Whether a client that is to be cut off has taken nothing for too long, of what the system still has of its response. */
  isStalled(unsentBytes: number): boolean {
    const { nowMs } = this.clock;
    // The system asks for more only once a good part of what it has was taken.
    if (unsentBytes < this.#unsentAtLook) this.#stalledSinceMs = nowMs;
    this.#unsentAtLook = unsentBytes;
    return nowMs >= this.#stalledSinceMs + this.limits.stalledMs;
  }

  /** The last response is sent. */
  linger(): void {
    this.#deadline = this.clock.nowMs + this.limits.lingerMs;
  }
}
