import { expect } from "bun:test";
import type { CheckedResponse } from "./client.ts";

/** Checks that exactly one of several concurrent requests succeeded, and that all others got 409 or, on a slow machine, 503. */
export function expectOneWinner(responses: readonly CheckedResponse[]): void {
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status !== 201 && status !== 409 && status !== 503)).toEqual([]);
  expect(statuses).toContain(409);
}
