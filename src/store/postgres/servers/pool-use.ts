import type { SQL } from "bun";
import { withDeadline } from "../../../base/deadline.ts";
import type { StoreTelemetry } from "../../store.ts";
import { logIfSlow } from "../../telemetry.ts";
import type { ArrayParameter, Parameter } from "../query.ts";

export class PoolUse {
  readonly #lateStep = Promise.withResolvers<never>();
  #running: { cancel(): unknown } | undefined;
  #isCancelled = false;
  /** True once a statement that commits was sent. If the connection is then lost, the outcome is unknown. */
  mayHaveCommitted = false;

  constructor(
    private readonly telemetry: StoreTelemetry | undefined,
    private readonly stepMs: number | undefined,
    private readonly canCommitLate: CanCommitLate | undefined,
  ) {}

  async runAndCommit<Row>(session: SQL, text: string, parameters?: readonly Parameter[]): Promise<Row[]> {
    this.mayHaveCommitted = true;
    return await this.run(session, text, parameters);
  }

  async run<Row>(session: SQL, text: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    if (this.#isCancelled) throw new Error("this use was cancelled");
    const values = parameters.map((parameter) =>
      isArray(parameter) ? session.array([...parameter.values], parameter.type) : parameter,
    );
    const query = session.unsafe<Row[]>(text, values);
    this.#running = query;
    const startedAt = performance.now();
    try {
      return await this.step(query);
    } finally {
      if (this.telemetry) logIfSlow(this.telemetry, text, performance.now() - startedAt);
      this.#running = undefined;
    }
  }

  /** Makes `withStepDeadline` throw if the server takes too long for the work. */
  step<Result>(work: Promise<Result>): Promise<Result> {
    if (this.stepMs !== undefined) {
      within(this.stepMs, work).catch((error) => {
        if (error instanceof DeadlineMissed) this.#lateStep.reject(error);
      });
    }
    return work;
  }

  withStepDeadline<Result>(working: Promise<Result>): Promise<Result> {
    return this.stepMs === undefined ? working : Promise.race([working, this.#lateStep.promise]);
  }

  /** Ends a use that has missed its deadline: leaves a commit to the server, or cancels the statement and sends no further one. */
  async end(working: Promise<unknown>): Promise<"committing" | "ended" | "hanging"> {
    const canCommitLate = this.mayHaveCommitted && this.canCommitLate;
    if (canCommitLate && (await within(cancelTimeoutMs, canCommitLate()).catch(() => false))) return "committing";
    this.#isCancelled = true;
    this.#running?.cancel();
    const ended = working.catch(() => {}).then(() => "ended" as const);
    return await within(cancelTimeoutMs, ended).catch(() => "hanging");
  }
}

/** Returns true if the server may finish a commit that waits for a standby. Cancelling would show changes that a failover would lose. */
export type CanCommitLate = () => Promise<boolean>;

export function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return withDeadline(milliseconds, work, () => new DeadlineMissed(milliseconds));
}

export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** A healthy server ends a cancelled statement within this time. */
const cancelTimeoutMs = 600;

function isArray(parameter: Parameter): parameter is ArrayParameter {
  return typeof parameter === "object" && parameter !== null && "values" in parameter && "type" in parameter;
}
