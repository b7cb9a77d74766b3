import { expect, test } from "bun:test";
import { WriteLoad } from "../support/load.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram } from "../support/program.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";

const rex = { name: "Rex", categoryId: 1 };
const minWrites = 100;

test("two instances with the addresses of both servers lose and repeat no acknowledged write in a failover", async () => {
  await using pair = await startPair();
  const { primary, standby } = pair;
  await failOver(pair, `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`, () => {});
});

test("two instances whose database address moves to the new primary lose and repeat no acknowledged write in a failover", async () => {
  await using pair = await startPair();
  using address = await MovableAddress.to(pair.primary.port);
  const move = () => address.moveTo(pair.standby.port);
  await failOver(pair, `postgres://postgres@127.0.0.1:${address.port}/postgres`, move);
});

test("an instance shuts down while the database server hangs, and a pending write gets an error that says its outcome is unknown", async () => {
  await using server = await PostgresServer.start();
  await using program = await RunningProgram.start(server.url, { args: ["--log-level", "off"] });
  await program.client.call("/v1/pets", { body: rex });
  using _ = server.freeze();
  const stuck = program.client.call("/v1/pets", { body: rex });
  // The response to a later request shows that the create has reached the server.
  await program.client.call("/healthz");
  expect(await program.signal("SIGTERM")).toBe(0);
  expect((await stuck).json).toMatchObject({ message: expect.stringContaining("It is not known whether") });
});

async function startPair() {
  const pair = await PostgresServer.startPair();
  return {
    ...pair,
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(pair)) await server[Symbol.asyncDispose]();
    },
  };
}

async function failOver(
  { primary, standby }: Awaited<ReturnType<typeof startPair>>,
  database: string,
  afterPromotion: () => void,
): Promise<void> {
  const start = () => RunningProgram.start(database, { args: ["--log-level", "off"] });
  await using one = await start();
  await using other = await start();

  const load = new WriteLoad([one.client, other.client], "failover");
  await load.untilMore(minWrites);
  await primary.kill();
  await standby.promote();
  afterPromotion();
  await load.untilMore(minWrites);
  await load.end();
  for (const { client } of [one, other]) await load.requireAnimals(client);
}
