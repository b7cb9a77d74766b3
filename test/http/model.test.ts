import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { operations } from "../../src/operations/index.ts";
import { tables } from "../../src/store/tables.ts";
import { anyPlan, type Known, type Plan, plans } from "../model/commands.ts";
import { type Observation, statesAfter } from "../model/linearize.ts";
import { empty, rowsOf, type State } from "../model/state.ts";
import { engine } from "../support/database.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";

const sequences = Number(process.env["MODEL_SEQUENCES"] ?? 1000);
const seed = Number(process.env["MODEL_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** On PostgreSQL, requests that are made at once go to two instances. */
let service: TestService;
let instances: TestService[];
beforeAll(async () => {
  service = await startService();
  const shared = { ...service.database, [Symbol.asyncDispose]: async () => {} };
  instances = engine === "postgres" ? [service, await startServiceOn(shared)] : [service];
});
afterAll(async () => {
  for (const instance of instances.toReversed()) await instance[Symbol.asyncDispose]();
});

test("the model has a plan for every operation, which calls that operation", () => {
  const called = Object.entries(plans).flatMap(([id, { weight, arbitrary }]) => {
    expect(weight).toBeGreaterThan(0);
    return fc.sample(arbitrary, { numRuns: 20, seed }).map((plan) => {
      const { path, options } = plan({ pets: [1], orders: [1], keys: [1], states: [empty] });
      const method = options.method ?? "GET";
      const operation = operations.find((one) => one.method === method && pathOf(one).test(path));
      return `${id} calls ${operation?.id}`;
    });
  });
  expect([...new Set(called)].sort()).toEqual(operations.map(({ id }) => `${id} calls ${id}`).sort());
});

test(
  `${sequences} random sequences of all operations, several at once, agree with a model`,
  async () => {
    console.log(`The model on ${engine}: ${sequences} sequences, MODEL_SEED=${seed}`);
    const group = fc.array(anyPlan(), { minLength: 1, maxLength: 4 });
    const sequence = fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 10 }), async (groups) => {
      await service.database.run(tables.map(({ name }) => `DELETE FROM ${name}`).join("; "));
      let known: Known = { pets: [], orders: [], keys: [], states: [empty] };
      for (const plans of groups) known = await runTogether(plans, known);
      await compareWithStore(known.states);
    });
    const { failed, numRuns, errorInstance } = await fc.check(sequence, {
      numRuns: sequences,
      seed,
      endOnFailure: true,
    });
    if (failed) throw new Error(`Sequence ${numRuns} of MODEL_SEED=${seed}: ${errorInstance}`);
  },
  60_000 + sequences * 100,
);

function pathOf({ path }: { readonly path: string }): RegExp {
  return new RegExp(`^/v1${path.replace(/:\w+/g, "[^/]+")}(\\?|$)`);
}

/** Sends requests at once, and finds out what the store can hold after them. */
async function runTogether(plans: readonly Plan[], known: Known): Promise<Known> {
  const commands = plans.map((plan) => plan(known));
  const observations = await Promise.all(
    commands.map(async (command, index) => {
      const { client } = instances[index % instances.length] ?? service;
      return { command, answer: await client.call(command.path, command.options) };
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

/** In the end, what is stored is one of the states that there can be. */
async function compareWithStore(states: readonly State[]): Promise<void> {
  const [pets, orders, categories, keys] = await Promise.all([
    service.store.pets.list({}, { limit: 1000 }),
    service.store.orders.list({}, { limit: 1000 }),
    service.store.categories.list({ limit: 1000 }),
    service.store.keys.list({ limit: 1000 }),
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

function explain(states: readonly State[], observations: readonly Observation[]): string {
  const lines = observations.map(
    ({ command, answer }) =>
      `${command.title} -> ${answer.status} ${answer.text} ${answer.headers.get("idempotent-replayed") ?? ""}`,
  );
  return `No order of these requests explains their answers:\n${lines.join("\n")}\nThe store held one of:\n${states
    .map((state) => JSON.stringify(state))
    .join("\n")}`;
}
