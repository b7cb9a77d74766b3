import { expect } from "bun:test";
import fc from "fast-check";
import { idRule } from "../../src/store/check.ts";
import { checkStore } from "../../src/store/open-store.ts";
import type { Table } from "../../src/store/resource-table.ts";
import { tables } from "../../src/store/tables.ts";
import type { Client } from "../support/client.ts";
import type { TestService } from "../support/service.ts";
import { pause } from "../support/wait.ts";
import { anyPlan, type Command, exportPath, type Knowledge, type Plan } from "./commands.ts";
import { findStatesAfter, type Observation } from "./linearize.ts";
import { emptyState, rowsOf, type State } from "./state.ts";

/** Sends random sequences of concurrent requests to the instances, and checks that all responses agree with the model. */
export async function checkAgainstModel(instances: Instances, runCount: number, seed: number): Promise<void> {
  const [{ database }] = instances;
  let sequenceCount = 0;
  const group = fc.array(anyPlan(), { minLength: 1, maxLength: 4 });
  const sequence = fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 10 }), async (groups) => {
    await database.run(tables.map(({ name }) => `DELETE FROM ${name}`).join("; "));
    let known: Knowledge = { pets: [], orders: [], keys: [], states: [emptyState] };
    for (const plans of groups) known = await runTogether(instances, plans, known);
    await compareWithStore(instances, known.states);
    await compareWithLog(instances, sequenceCount++ % replayInterval === 0);
  });
  const options = { numRuns: runCount, seed, endOnFailure: true };
  const { failed, numRuns, errorInstance } = await fc.check(sequence, options);
  if (failed) throw new Error(`Sequence ${numRuns} of MODEL_SEED=${seed}: ${errorInstance}`);
}

/** Number of sequences between two replays of the event log, which take far longer than a sequence. */
const replayInterval = 10;

export type Instances = readonly [TestService, ...TestService[]];

/** Sends the requests concurrently, and returns the possible states after them. */
async function runTogether(instances: Instances, plans: readonly Plan[], known: Knowledge): Promise<Knowledge> {
  const commands = plans.map((plan) => plan(known));
  const observations = await Promise.all(
    commands.map(async (command, index) => {
      const { client } = instances[index % instances.length] ?? instances[0];
      return { command, response: await send(client, command) };
    }),
  );
  const states = findStatesAfter(known.states, observations);
  if (states.length === 0) throw new Error(explain(known.states, observations));
  const collectIds = (table: "pets" | "orders" | "keys") => {
    const ids = states.flatMap((state) => rowsOf<{ id: number }>(state[table]).map(({ id }) => id));
    return [...new Set([...known[table], ...ids])];
  };
  return { pets: collectIds("pets"), orders: collectIds("orders"), keys: collectIds("keys"), states };
}

/** Sends the request. Retries an export that exceeds the maximum number of concurrent exports. */
async function send(client: Client, { path, options }: Command): Promise<Observation["response"]> {
  for (;;) {
    const response = await client.call(path, options);
    if (response.status !== 429 || path !== exportPath) return response;
    await pause();
  }
}

async function compareWithStore([{ store }]: Instances, states: readonly State[]): Promise<void> {
  const [pets, orders, categories, keys] = await Promise.all([
    store.pets.list({}, { limit: 1000 }),
    store.orders.list({}, { limit: 1000 }),
    store.categories.list({}, { limit: 1000 }),
    store.keys.list({ limit: 1000 }),
  ]);
  const storedRows = {
    pets: pets.items,
    orders: orders.items.map(({ id, petId, status }) => ({ id, petId, status })),
    categories: categories.items,
    keys: keys.items.map(({ id, scope }) => ({ id, scope })),
  };
  const possibleRows = states.map((state) => ({
    pets: rowsOf(state.pets),
    orders: rowsOf(state.orders),
    categories: rowsOf(state.categories),
    keys: rowsOf(state.keys).map(({ id, scope }) => ({ id, scope })),
  }));
  expect(possibleRows).toContainEqual(storedRows as never);
}

/** Checks that the events explain every change, including indirect changes such as the status of an ordered animal. */
async function compareWithLog([{ store, database }]: Instances, shouldReplay: boolean): Promise<void> {
  const findings = shouldReplay ? await checkStore(database.address, { shouldReplay: true }) : [];
  // The check of ids is skipped for database users without access to the sequences.
  const problems = findings.filter(
    ({ rule, problem, skipped }) => problem !== undefined || (skipped && rule !== idRule),
  );
  expect(problems).toEqual([]);
  // Waits for pending events, which would otherwise enter the event log after the next sequence has emptied the event log.
  await store.transfer.count(tables.find(({ name }) => name === "events") as Table);
}

function explain(states: readonly State[], observations: readonly Observation[]): string {
  const lines = observations.map(
    ({ command, response: { status, text, headers } }) =>
      `${command.title} -> ${status} ${text} ${headers.get("idempotent-replayed") ?? ""}`,
  );
  return `No order of these requests explains their responses:\n${lines.join("\n")}\nThe store held one of:\n${states
    .map((state) => JSON.stringify(state))
    .join("\n")}`;
}
