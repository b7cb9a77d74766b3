import { expect } from "bun:test";
import fc from "fast-check";
import { idRule } from "../../src/store/check.ts";
import { checkStore } from "../../src/store/open-store.ts";
import type { Table } from "../../src/store/resource-table.ts";
import { tables } from "../../src/store/tables.ts";
import type { Client } from "../support/client.ts";
import type { TestService } from "../support/service.ts";
import { pause } from "../support/wait.ts";
import { anyPlan, type Command, exportPath, type Known, type Plan } from "./commands.ts";
import { type Observation, statesAfter } from "./linearize.ts";
import { empty, rowsOf, type State } from "./state.ts";

/** Random sequences of all operations, several at once, agree with the model, whichever instance each of them goes to. */
export async function agreeWithModel(instances: Instances, sequences: number, seed: number): Promise<void> {
  const [{ database }] = instances;
  let done = 0;
  const group = fc.array(anyPlan(), { minLength: 1, maxLength: 4 });
  const sequence = fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 10 }), async (groups) => {
    await database.run(tables.map(({ name }) => `DELETE FROM ${name}`).join("; "));
    let known: Known = { pets: [], orders: [], keys: [], states: [empty] };
    for (const plans of groups) known = await runTogether(instances, plans, known);
    await compareWithStore(instances, known.states);
    await compareWithLog(instances, done++ % logEvery === 0);
  });
  const { failed, numRuns, errorInstance } = await fc.check(sequence, {
    numRuns: sequences,
    seed,
    endOnFailure: true,
  });
  if (failed) throw new Error(`Sequence ${numRuns} of MODEL_SEED=${seed}: ${errorInstance}`);
}

/** To replay the log takes far longer than to write it. */
const logEvery = 10;

/** Of one database. */
export type Instances = readonly [TestService, ...TestService[]];

/** Sends requests at once, and finds out what the store can hold after them. */
async function runTogether(instances: Instances, plans: readonly Plan[], known: Known): Promise<Known> {
  const commands = plans.map((plan) => plan(known));
  const observations = await Promise.all(
    commands.map(async (command, index) => {
      const { client } = instances[index % instances.length] ?? instances[0];
      return { command, answer: await answerTo(client, command) };
    }),
  );
  const states = statesAfter(known.states, observations);
  if (states.length === 0) throw new Error(explain(known.states, observations));
  const idsOf = (table: "pets" | "orders" | "keys") => [
    ...new Set([
      ...known[table],
      ...states.flatMap((state) => rowsOf<{ id: number }>(state[table]).map(({ id }) => id)),
    ]),
  ];
  return { pets: idsOf("pets"), orders: idsOf("orders"), keys: idsOf("keys"), states };
}

/** Only so many exports are made at once: whoever is told so tries again in a moment. */
async function answerTo(client: Client, { path, options }: Command): Promise<Observation["answer"]> {
  for (;;) {
    const answer = await client.call(path, options);
    if (answer.status !== 429 || path !== exportPath) return answer;
    await pause();
  }
}

/** In the end, what is stored is one of the states that there can be. */
async function compareWithStore([{ store }]: Instances, states: readonly State[]): Promise<void> {
  const [pets, orders, categories, keys] = await Promise.all([
    store.pets.list({}, { limit: 1000 }),
    store.orders.list({}, { limit: 1000 }),
    store.categories.list({}, { limit: 1000 }),
    store.keys.list({ limit: 1000 }),
  ]);
  const stored = {
    pets: pets.items,
    orders: orders.items.map(({ id, petId, status }) => ({ id, petId, status })),
    categories: categories.items,
    keys: keys.items.map(({ id, scope }) => ({ id, scope })),
  };
  const possible = states.map((state) => ({
    pets: rowsOf(state.pets),
    orders: rowsOf(state.orders),
    categories: rowsOf(state.categories),
    keys: rowsOf(state.keys).map(({ id, scope }) => ({ id, scope })),
  }));
  expect(possible).toContainEqual(stored as never);
}

/** Also what was in no request, such as what becomes of an animal when it is ordered, is told by the events. */
async function compareWithLog([{ store, database }]: Instances, isDue: boolean): Promise<void> {
  const findings = isDue ? await checkStore(database.address, { shouldReplay: true }) : [];
  // Which ids were given, not every user may see.
  const wrong = findings.filter(({ rule, problem, skipped }) => problem !== undefined || (skipped && rule !== idRule));
  expect(wrong).toEqual([]);
  // So that nothing is left to be moved into the log after it was emptied for the next sequence.
  await store.transfer.count(tables.find(({ name }) => name === "events") as Table);
}

function explain(states: readonly State[], observations: readonly Observation[]): string {
  const lines = observations.map(
    ({ command, answer }) =>
      `${command.title} -> ${answer.status} ${answer.text} ${answer.headers.get("idempotent-replayed") ?? ""}`,
  );
  return `No order of these requests explains their answers:\n${lines.join("\n")}\nThe store held one of:\n${states
    .map((state) => JSON.stringify(state))
    .join("\n")}`;
}
