import type { CheckedResponse } from "../support/client.ts";
import type { Command } from "./commands.ts";
import { type State, serializeState } from "./state.ts";

export interface Observation {
  readonly command: Command;
  readonly response: CheckedResponse;
}

/** Returns the possible states after concurrent requests: those of each sequential order that explains all responses. */
export function findStatesAfter(states: readonly State[], observations: readonly Observation[]): State[] {
  const [refused, executed] = [
    observations.filter(isInProgress),
    observations.filter((observation) => !isInProgress(observation)),
  ];
  // A request is refused only while another request with the same idempotency key is in progress.
  const isExplained = refused.every(({ command: { idempotencyKey } }) =>
    executed.some(({ command }) => command.idempotencyKey === idempotencyKey),
  );
  if (!isExplained) return [];
  const statesByText = new Map<string, State>();
  for (const state of states)
    for (const end of runInAnyOrder(state, executed)) statesByText.set(serializeState(end), end);
  return [...statesByText.values()];
}

function* runInAnyOrder(state: State, remaining: readonly Observation[]): Iterable<State> {
  if (remaining.length === 0) yield state;
  for (const [index, { command, response }] of remaining.entries()) {
    const next = command.step(state, response);
    if (next) yield* runInAnyOrder(next, remaining.toSpliced(index, 1));
  }
}

function isInProgress({ command, response }: Observation): boolean {
  return command.idempotencyKey !== undefined && response.status === 409 && response.text.includes("still in progress");
}
