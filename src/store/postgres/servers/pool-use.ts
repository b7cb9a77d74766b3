import type { SQL } from "bun";
import { withDeadline } from "../../../base/deadline.ts";
import type { StoreTelemetry } from "../../store.ts";
import { logIfSlow } from "../../telemetry.ts";
import type { ArrayParameter, Parameter } from "../query.ts";

export class PoolUse {
  readonly #lateStep = Promise.withResolvers<never>();
  #running: { cancel(): unknown } | undefined;
  #isCancelled = false;
  #mayHaveCommitted = false;

  constructor(
    private readonly telemetry: StoreTelemetry | undefined,
    private readonly stepMs: number | undefined,
  ) {}

  /** True if, after a lost connection, the outcome is unknown. */
  get mayHaveCommitted(): boolean {
    return this.#mayHaveCommitted;
  }

  async runAndCommit<Row>(session: SQL, text: string, parameters?: readonly Parameter[]): Promise<Row[]> {
    this.#mayHaveCommitted = true;
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

  /** Makes `orLateStep` throw if the server takes too long for the work. Only `cancel` ends the work. */
  step<Result>(work: Promise<Result>): Promise<Result> {
    if (this.stepMs === undefined) return work;
    const late = new DeadlineMissed(this.stepMs);
    withDeadline(this.stepMs, work, () => late).catch((error) => {
      if (error === late) this.#lateStep.reject(late);
    });
    return work;
  }

  orLateStep<Result>(working: Promise<Result>): Promise<Result> {
    return this.stepMs === undefined ? working : Promise.race([working, this.#lateStep.promise]);
  }

  /** Cancels the statement in progress, and starts no other. Returns true if the statement ends soon after. */
  async cancel(working: Promise<unknown>): Promise<boolean> {
    this.#isCancelled = true;
    this.#running?.cancel();
    const ended = working.catch(() => {}).then(() => true);
    const late = () => new DeadlineMissed(cancelTimeoutMs);
    return await withDeadline(cancelTimeoutMs, ended, late).catch(() => false);
  }
}

export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** A healthy server ends a cancelled statement within this time. */
export const cancelTimeoutMs = 600;

function isArray(parameter: Parameter): parameter is ArrayParameter {
  return typeof parameter === "object" && parameter !== null && "values" in parameter && "type" in parameter;
}
