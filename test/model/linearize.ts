import type { Answer } from "../support/client.ts";
import type { Command } from "./commands.ts";
import { type State, textOf } from "./state.ts";

/** A request that was under way together with others, and what came back. */
export interface Observation {
  readonly command: Command;
  readonly answer: Answer;
}

/**
 * Every state that there can be after requests that were made at once: for each order in which they can have been done,
 * one after the other, so that each had the answer that it had. None, if there is no such order.
 */
export function statesAfter(states: readonly State[], observations: readonly Observation[]): State[] {
  const turnedAway = observations.filter(isTurnedAway);
  // Whoever is told to wait must have somebody to wait for.
  const isExcused = turnedAway.every(({ command }) =>
    observations.some(
      (other) => other.command.idempotencyKey === command.idempotencyKey && !turnedAway.includes(other),
    ),
  );
  if (!isExcused) return [];
  const done = observations.filter((observation) => !turnedAway.includes(observation));
  const found = new Map<string, State>();
  for (const state of states) for (const end of orders(state, done)) found.set(textOf(end), end);
  return [...found.values()];
}

function* orders(state: State, left: readonly Observation[]): Iterable<State> {
  if (left.length === 0) yield state;
  for (const [index, { command, answer }] of left.entries()) {
    const next = command.step(state, answer);
    if (next) yield* orders(next, left.toSpliced(index, 1));
  }
}

function isTurnedAway({ command, answer }: Observation): boolean {
  return command.idempotencyKey !== undefined && answer.status === 409 && answer.text.includes("still in progress");
}
