import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { operations } from "../../src/operations/index.ts";
import { pathParameter } from "../../src/operations/operation.ts";
import { plans } from "../model/commands.ts";
import { checkAgainstModel, type Instances } from "../model/run.ts";
import { emptyState } from "../model/state.ts";
import { engine } from "../support/database.ts";
import { startService, startServiceOn } from "../support/service.ts";

const sequenceCount = Number(process.env["MODEL_SEQUENCES"] ?? 200);
const seed = Number(process.env["MODEL_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** The instances that receive concurrent requests: two on PostgreSQL, one on SQLite. */
let instances: Instances;
beforeAll(async () => {
  const service = await startService();
  const shared = { ...service.database, [Symbol.asyncDispose]: async () => {} };
  instances = engine === "postgres" ? [service, await startServiceOn(shared)] : [service];
});
afterAll(async () => {
  for (const instance of instances.toReversed()) await instance[Symbol.asyncDispose]();
});

test("the model has a plan for every operation, and each plan calls its operation", () => {
  const called = Object.entries(plans).flatMap(([id, { weight, arbitrary }]) => {
    expect(weight).toBeGreaterThan(0);
    return fc.sample(arbitrary, { numRuns: 20, seed }).map((plan) => {
      const { path, options } = plan({ pets: [1], orders: [1], keys: [1], states: [emptyState] });
      const method = options.method ?? "GET";
      const operation = operations.find(
        (candidate) => candidate.method === method && createPathPattern(candidate).test(path),
      );
      return `${id} calls ${operation?.id}`;
    });
  });
  const modelled = operations.filter(({ tag }) => tag !== "webhooks");
  expect([...new Set(called)].sort()).toEqual(modelled.map(({ id }) => `${id} calls ${id}`).sort());
});

test(
  `${sequenceCount} random sequences of concurrent operations agree with a model`,
  async () => {
    console.log(`The model on ${engine}: ${sequenceCount} sequences, MODEL_SEED=${seed}`);
    await checkAgainstModel(instances, sequenceCount, seed);
  },
  300_000 + sequenceCount * 1_000,
);

function createPathPattern({ path }: { readonly path: string }): RegExp {
  return new RegExp(`^/v1${path.replace(pathParameter, "[^/]+")}(\\?|$)`);
}
