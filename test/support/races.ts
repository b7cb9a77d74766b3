import { expect } from "bun:test";
import type { Answer } from "./client.ts";

/** Of many who race for one thing, one gets it. The others come too late, or are turned away by a machine that is too slow. */
export function expectOneWinner(answers: readonly Answer[]): void {
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status !== 201 && status !== 409 && status !== 503)).toEqual([]);
  expect(statuses).toContain(409);
}
