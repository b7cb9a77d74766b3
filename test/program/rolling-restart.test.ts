import { expect, test } from "bun:test";
import { Client } from "../support/client.ts";
import { databaseOn, sharedPostgres } from "../support/database.ts";
import { programKey, RunningProgram } from "../support/program.ts";
import { ReverseProxy } from "../support/proxy.ts";
import { pauseLoad } from "../support/wait.ts";

const restartCount = Number(process.env["RESTARTS"] ?? 6);

test(`no request fails during ${restartCount} restarts of two instances behind a proxy`, async () => {
  const { url } = await sharedPostgres();
  await using database = databaseOn(url);
  const { schema } = database.address as { schema: string };
  await using started = new AsyncDisposableStack();
  const args = ["--log-level", "off", "--drain-delay", "5", "--pool-size", "2"];
  const start = async () => started.use(await RunningProgram.start(`${url}?schema=${schema}`, { args }));
  const instances = await Promise.all([start(), start()]);
  await using proxy = new ReverseProxy(() => instances.map(({ client }) => client.url));
  for (const { client } of instances) await proxy.until(true, client.url);
  const client = new Client(proxy.url, programKey);

  let isRestarting = true;
  const failures: string[] = [];
  const created: number[] = [];
  const load = Array.from({ length: 4 }, async (_, worker) => {
    while (isRestarting) {
      const isWrite = worker % 2 === 0;
      const options = isWrite ? { body: { name: "Rex", categoryId: worker } } : {};
      const response = await client
        .call("/v1/pets", options)
        .catch((error) => ({ status: 0, text: String(error), json: {} }));
      if (response.status !== (isWrite ? 201 : 200)) failures.push(`${response.status} ${response.text}`);
      else if (isWrite) created.push((response.json as { id: number }).id);
      await pauseLoad();
    }
  });
  const exitCodes: Promise<number>[] = [];
  for (let round = 0; round < restartCount; round++) {
    // The successor starts before the old instance ends, as in every rolling restart.
    const oldInstance = instances[round % 2] as RunningProgram;
    const successor = await start();
    oldInstance.child.kill("SIGTERM");
    await proxy.until(false, oldInstance.client.url);
    instances[round % 2] = successor;
    await proxy.until(true, successor.client.url);
    exitCodes.push(oldInstance.child.exited);
  }
  expect([...new Set(await Promise.all(exitCodes))]).toEqual([0]);
  isRestarting = false;
  await Promise.all(load);
  expect(failures.slice(0, 10)).toEqual([]);
  expect(created.length).toBeGreaterThan(restartCount);
  const storedIds = new Set<number>();
  for await (const { id } of client.walk("/v1/pets?limit=100")) storedIds.add(id);
  expect(created.filter((id) => !storedIds.has(id))).toEqual([]);
}, 600_000);
