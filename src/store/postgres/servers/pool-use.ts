import type { SQL } from "bun";
import { withDeadline } from "../../../base/deadline.ts";
import type { StoreTelemetry } from "../../store.ts";
import { logIfSlow } from "../../telemetry.ts";
import type { ArrayParameter, Parameter } from "../query.ts";

/** One use of a pool, with at most one statement in progress. */
export class PoolUse {
  readonly #late = Promise.withResolvers<never>();
  #running: { cancel(): unknown } | undefined;
  #isGivenUp = false;
  #mayHaveCommitted = false;

  constructor(
    private readonly watch: StoreTelemetry | undefined,
    private readonly stepMs: number | undefined,
  ) {}

  /** True if a lost connection leaves open whether anything was done. */
  get mayHaveCommitted(): boolean {
    return this.#mayHaveCommitted;
  }

  /** Runs a statement that ends a transaction, or is one. */
  async runAndCommit<Row>(session: SQL, text: string, parameters?: readonly Parameter[]): Promise<Row[]> {
    this.#mayHaveCommitted = true;
    return await this.run(session, text, parameters);
  }

  async run<Row>(session: SQL, text: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    if (this.#isGivenUp) throw new Error("this use was given up");
    const query = session.unsafe<Row[]>(
      text,
      parameters.map((parameter) =>
        isArray(parameter) ? session.array([...parameter.values], parameter.type) : parameter,
      ),
    );
    this.#running = query;
    const startedAt = performance.now();
    try {
      return await this.step(query);
    } finally {
      if (this.watch) logIfSlow(this.watch, text, performance.now() - startedAt);
      this.#running = undefined;
    }
  }

  /** Notices if the server takes too long for the work. Only `giveUp` ends it then. */
  step<Result>(work: Promise<Result>): Promise<Result> {
    if (this.stepMs === undefined) return work;
    const late = new DeadlineMissed(this.stepMs);
    withDeadline(this.stepMs, work, () => late).catch((error) => {
      if (error === late) this.#late.reject(late);
    });
    return work;
  }

  /** Throws DeadlineMissed as soon as one of its steps takes too long. */
  unlessLate<Result>(working: Promise<Result>): Promise<Result> {
    return this.stepMs === undefined ? working : Promise.race([working, this.#late.promise]);
  }

  /** Cancels the statement in progress, and starts no other. Returns true if the statement has ended soon after. */
  async giveUp(working: Promise<unknown>): Promise<boolean> {
    this.#isGivenUp = true;
    this.#running?.cancel();
    const ended = working.catch(() => {}).then(() => true);
    const late = () => new DeadlineMissed(cancelMilliseconds);
    return await withDeadline(cancelMilliseconds, ended, late).catch(() => false);
  }
}

export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** How long a healthy server takes at most to end a cancelled statement. */
export const cancelMilliseconds = 600;

function isArray(parameter: Parameter): parameter is ArrayParameter {
  return typeof parameter === "object" && parameter !== null && "values" in parameter && "type" in parameter;
}
