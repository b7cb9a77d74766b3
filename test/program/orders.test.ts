import { describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { type Engine, makeDatabase, urlOf } from "../support/database.ts";
import { RunningProgram } from "../support/program.ts";
import { expectOneWinner } from "../support/races.ts";

const quiet = { args: ["--log-level", "off"] };
const animalCount = 20;
const killCount = Number(process.env["KILLS"] ?? 3);

test("when 200 clients race for an animal through two instances, exactly one client gets the animal", async () => {
  await using database = await makeDatabase("postgres");
  await using one = await RunningProgram.start(urlOf(database), quiet);
  await using other = await RunningProgram.start(urlOf(database), quiet);
  for (let petId = 1; petId <= 2; petId++) {
    await one.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? one : other).client.call("/v1/store/orders", { body: { petId } }),
      ),
    );
    expectOneWinner(responses);
    expect((await other.client.call(`/v1/pets?id=${petId}`)).json).toMatchObject([{ status: "pending" }]);
    expect((await one.client.call(`/v1/store/orders?petId=${petId}`)).json).toHaveLength(1);
  }
});

describe.each<Engine>(["sqlite", "postgres"])("on %s", (engine) => {
  test("after kill -9, every order agrees with the status of its animal, and no acknowledged order is lost", async () => {
    await using database = await makeDatabase(engine);
    const known = new Map<number, string>();
    for (let kill = 1; kill <= killCount; kill++) {
      await using program = await RunningProgram.start(urlOf(database), quiet);
      await check(program.client, known);
      const present = await readAll(program.client, "/v1/pets?limit=100");
      for (let missing = present.length; missing < animalCount; missing++) {
        await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
      }
      const enough = Promise.withResolvers<void>();
      let doneCount = 0;
      const trade = async (trader: number) => {
        for (let round = 0; ; round++) {
          await tradeOnce(program.client, 1 + ((trader * 7 + round) % animalCount), round, known);
          if (++doneCount >= 60 * Math.min(kill, 8)) enough.resolve();
        }
      };
      const traders = Promise.allSettled(Array.from({ length: 16 }, (_, trader) => trade(trader)));
      await Promise.race([enough.promise, traders]);
      await program.signal("SIGKILL");
      for (const outcome of await traders) {
        if (outcome.status === "rejected" && !/socket|connect|closed/i.test(String(outcome.reason)))
          throw outcome.reason;
      }
    }
    await using program = await RunningProgram.start(urlOf(database), quiet);
    await check(program.client, known);
    expect(known.size).toBeGreaterThan(100);
  });
});

async function tradeOnce(client: Client, petId: number, round: number, known: Map<number, string>): Promise<void> {
  const placed = await client.call("/v1/store/orders", { body: { petId } });
  if (placed.status === 201) {
    const { id } = placed.json as { id: number };
    known.set(id, "placed");
    if (round % 3 === 0) return;
    known.set(id, "placed or ended");
    const end = round % 3 === 1 ? "complete" : "cancel";
    const closed = await client.call(`/v1/store/orders/${id}/${end}`, { method: "POST" });
    expect(closed.status).toBe(200);
    known.set(id, (closed.json as { status: string }).status);
  } else {
    expect(placed.status).toBe(409);
    const freed = await client.call(`/v1/pets/${petId}`, { method: "PATCH", body: { status: "available" } });
    expect([200, 409]).toContain(freed.status);
    const [open] = (await client.call(`/v1/store/orders?petId=${petId}&status=placed`)).json as { id: number }[];
    if (open && known.get(open.id) === "placed") {
      known.set(open.id, "placed or ended");
      const closed = await client.call(`/v1/store/orders/${open.id}/cancel`, { method: "POST" });
      if (closed.status === 200) known.set(open.id, "cancelled");
    }
  }
}

/** Checks that exactly the animals with one open order are pending, and that known orders have the expected status. */
async function check(client: Client, known: ReadonlyMap<number, string>): Promise<void> {
  const orders = await readAll(client, "/v1/store/orders?limit=100");
  const open = orders.filter(({ status }) => status === "placed").map(({ petId }) => petId);
  const pets = await readAll(client, "/v1/pets?limit=100");
  const pending = pets.filter(({ status }) => status === "pending").map(({ id }) => id);
  expect(open.sort(compareNumbers)).toEqual(pending.sort(compareNumbers));
  for (const [id, status] of known) {
    const storedStatus = orders.find((order) => order.id === id)?.status ?? "nothing";
    if (status !== "placed or ended") expect(`order ${id} is ${storedStatus}`).toBe(`order ${id} is ${status}`);
    else expect(["placed", "completed", "cancelled"]).toContain(storedStatus);
  }
}

interface Item {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
}

async function readAll(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of client.walk(path)) items.push(item as unknown as Item);
  return items;
}

function compareNumbers(one: number, other: number): number {
  return one - other;
}
