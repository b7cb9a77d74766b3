import type { Outcome } from "../write-queue.ts";
import { RuleBroken } from "./errors.ts";

/** If a rule of a table is broken, each is tried alone, so that only the culprit fails. */
export async function togetherOrAlone<Write, Result>(
  batch: readonly Write[],
  commit: (batch: readonly Write[]) => Promise<readonly Result[]>,
): Promise<Outcome<Result>[]> {
  try {
    return (await commit(batch)).map((result) => ({ result }));
  } catch (error) {
    if (batch.length === 1 || !(error instanceof RuleBroken)) throw error;
    const outcomes: Outcome<Result>[] = [];
    for (const write of batch) {
      outcomes.push(...(await togetherOrAlone([write], commit).catch((alone: Error) => [{ error: alone }])));
    }
    return outcomes;
  }
}
