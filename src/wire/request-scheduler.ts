export interface Scheduled {
  readonly urgency: Urgency;
  proceed(): void;
}

/** A `backlog` connection has already processed as many requests as a connection may in one tick. */
export type Urgency = keyof typeof shareMs;

/**
 * Divides the ticks of the event loop among connections. A request is processed on arrival, unless the tick has already taken too long:
 * then the connection is queued. After the sockets have been read, the queues are served in order of urgency. Each queue is served
 * round-robin and has a time limit per tick. So pipelined requests delay the requests of other clients by at most a tick.
 */
export class RequestScheduler {
  readonly #queues = new Map(urgencies.map((urgency) => [urgency, new Set<Scheduled>()]));
  #requests = 0;
  #isInTick = false;
  #isServing = false;
  #tickStart = 0;

  /** Returns true if the connection may process a request now; otherwise, `proceed` is called later. */
  admit(connection: Scheduled, isWithinTickLimit: boolean): boolean {
    // Reading the clock and scheduling a callback for each request would slow down a service that is not overloaded.
    if (!this.#isInTick && (!isWithinTickLimit || ++this.#requests >= maxUncheckedRequests)) this.#beginTick();
    const isFree = this.#isServing || !this.#isInTick;
    if (isWithinTickLimit && (isFree || performance.now() - this.#tickStart < maxDelayMs[connection.urgency]))
      return true;
    this.#queues.get(connection.urgency)?.add(connection);
    return false;
  }

  #beginTick(): void {
    this.#isInTick = true;
    this.#tickStart = performance.now();
    setImmediate(() => this.#endTick());
  }

  #endTick(): void {
    this.#isServing = true;
    for (const [urgency, queue] of this.#queues) {
      const end = performance.now() + shareMs[urgency];
      // A connection that is queued again moves to the end.
      for (const connection of queue) {
        queue.delete(connection);
        connection.proceed();
        if (performance.now() >= end) break;
      }
    }
    this.#isServing = false;
    this.#isInTick = false;
    this.#requests = 0;
    if (this.#queues.values().some(({ size }) => size > 0)) this.#beginTick();
  }
}

/** Time for queued connections in each tick, most urgent first. The backlog's is short, because arriving requests wait for its end. */
const shareMs = { probe: 0.5, trusted: 2, fresh: 0.5, backlog: 0.02 };
const urgencies = Object.keys(shareMs) as Urgency[];
/** Time since the start of a tick after which an arriving request is queued: the more urgent the connection, the longer. */
const maxDelayMs: Readonly<Record<Urgency, number>> = { probe: 3, trusted: 2.5, fresh: 0.5, backlog: 0 };
const maxUncheckedRequests = 256;
