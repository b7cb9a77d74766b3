import { expect, test } from "bun:test";
import { Client } from "../support/client.ts";
import { databaseOn, sharedPostgres } from "../support/database.ts";
import { programKey, RunningProgram } from "../support/program.ts";
import { ReverseProxy } from "../support/proxy.ts";

const restarts = 100;

test(`${restarts} restarts of one of two instances behind a proxy lose no request`, async () => {
  const { url } = await sharedPostgres();
  await using database = databaseOn(url);
  const { schema } = database.address as { schema: string };
  const start = () =>
    RunningProgram.start(`${url}?schema=${schema}`, { args: ["--log-level", "off", "--drain-delay", "0.2"] });
  const instances = await Promise.all([start(), start()]);
  await using proxy = new ReverseProxy(() => instances.map(({ client }) => client.url));
  for (const { client } of instances) await proxy.until(true, client.url);
  const client = new Client(proxy.url, programKey);

  let restarting = true;
  const failures: string[] = [];
  const created: number[] = [];
  const load = Array.from({ length: 8 }, async (_, worker) => {
    while (restarting) {
      const isWrite = worker % 2 === 0;
      const answer = await client.call("/v1/pets", isWrite ? { body: { name: "Rex", categoryId: worker } } : {});
      if (answer.status >= 300) failures.push(`${answer.status} ${answer.text}`);
      else if (isWrite) created.push((answer.json as { id: number }).id);
    }
  });
  for (let turn = 0; turn < restarts; turn++) {
    // The successor is there before the old one leaves, as every rolling restart does it.
    const old = instances[turn % 2] as RunningProgram;
    const successor = await start();
    old.child.kill("SIGTERM");
    await proxy.until(false, old.client.url);
    instances[turn % 2] = successor;
    await proxy.until(true, successor.client.url);
    expect(await old.child.exited).toBe(0);
  }
  restarting = false;
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(created.length).toBeGreaterThan(restarts);
  const found = new Set<number>();
  for await (const { id } of client.walk("/v1/pets?limit=100")) found.add(id);
  expect(created.filter((id) => !found.has(id))).toEqual([]);
  await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
}, 300_000);
