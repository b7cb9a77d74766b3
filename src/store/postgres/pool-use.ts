import type { SQL } from "bun";
import { withDeadline } from "../../base/deadline.ts";
import type { StoreWatch } from "../store.ts";
import { noteIfSlow } from "../watch.ts";
import type { ArrayParameter, Parameter } from "./query.ts";

/** One use of a pool, with at most one statement in progress. */
export class PoolUse {
  readonly #watch: StoreWatch | undefined;
  #running: { cancel(): unknown } | undefined;
  #isGivenUp = false;
  #mayHaveCommitted = false;

  constructor(watch: StoreWatch | undefined) {
    this.#watch = watch;
  }

  /** Whether a lost connection leaves open whether anything was done. */
  get mayHaveCommitted(): boolean {
    return this.#mayHaveCommitted;
  }

  /** Runs a statement that ends a transaction, or is one. */
  async runAndCommit<Row>(session: SQL, text: string, parameters?: readonly Parameter[]): Promise<Row[]> {
    this.#mayHaveCommitted = true;
    return await this.run(session, text, parameters);
  }

  async run<Row>(session: SQL, text: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    if (this.#isGivenUp) throw new DeadlineMissed();
    const query = session.unsafe<Row[]>(
      text,
      parameters.map((parameter) => toDriver(session, parameter)),
    );
    this.#running = query;
    const startedAt = performance.now();
    try {
      return await query;
    } finally {
      if (this.#watch) noteIfSlow(this.#watch, text, performance.now() - startedAt);
      this.#running = undefined;
    }
  }

  /** Cancels the statement in progress, and starts no other. Returns whether it has ended soon after. */
  async giveUp(working: Promise<unknown>): Promise<boolean> {
    this.#isGivenUp = true;
    this.#running?.cancel();
    const ended = working.then(
      () => true,
      () => true,
    );
    return await withDeadline(cancelMilliseconds, ended, () => new DeadlineMissed()).catch(() => false);
  }
}

export class DeadlineMissed extends Error {}

/** How long a healthy server takes at most to end a cancelled statement. */
const cancelMilliseconds = 600;

function toDriver(session: SQL, parameter: Parameter) {
  const isArray = typeof parameter === "object" && parameter !== null && "values" in parameter && "type" in parameter;
  return isArray
    ? session.array([...(parameter as ArrayParameter).values], (parameter as ArrayParameter).type)
    : parameter;
}
