/** A connection whose input holds requests to process. */
export interface Scheduled {
  readonly urgency: Urgency;
  /** Processes some requests, asking the scheduler before each. */
  proceed(): void;
}

/** A `backlog` connection has more requests than it may process in one turn. `trusted` ones, and health `probe`s, go before others. */
export type Urgency = "probe" | "trusted" | "fresh" | "backlog";

/**
 * Divides the ticks of the event loop among connections. A request is processed as soon as it arrives, unless its tick has taken long
 * already. Connections that have to wait are served round-robin after the sockets were read, the most urgent first, each urgency for
 * no longer than its share. So no number of pipelined requests delays those of others by more than a tick.
 */
export class RequestScheduler {
  readonly #queues = new Map(urgencies.map((urgency) => [urgency, new Set<Scheduled>()]));
  #requests = 0;
  #isInTick = false;
  #isServing = false;
  #tickStart = 0;

  /** True if the connection may process a request now; otherwise `proceed` is called once it may. */
  admit(connection: Scheduled, hasTurn: boolean): boolean {
    // Looking at the clock and waking the event loop for each request would slow down a service that is not overloaded.
    if (!this.#isInTick && (!hasTurn || ++this.#requests >= maxUncheckedRequests)) this.#beginTick();
    const isFree = this.#isServing || !this.#isInTick;
    if (hasTurn && (isFree || performance.now() - this.#tickStart < maxDelayMs[connection.urgency])) return true;
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
      // A connection that is queued again comes after all others.
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

const urgencies = ["probe", "trusted", "fresh", "backlog"] as const;
/** Time for queued connections in each tick. That for a backlog is short, because every request that arrives waits for its end. */
const shareMs: Readonly<Record<Urgency, number>> = { probe: 0.5, trusted: 2, fresh: 0.5, backlog: 0.02 };
/** Time since the start of a tick after which a request that arrives is queued: later, the more urgent it is. */
const maxDelayMs: Readonly<Record<Urgency, number>> = { probe: 3, trusted: 2.5, fresh: 0.5, backlog: 0 };
const maxUncheckedRequests = 256;
