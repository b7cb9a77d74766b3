import { describe, expect, test } from "bun:test";
import type { CheckedResponse } from "../support/client.ts";
import { type Engine, makeDatabase, urlOf } from "../support/database.ts";
import { RunningProgram } from "../support/program.ts";
import { pause, until } from "../support/wait.ts";

const quiet = { args: ["--log-level", "off"] };
const killCount = Number(process.env["KILLS"] ?? 3);

test("32 repetitions of a create through two instances, one of which is killed, add one animal", async () => {
  await using database = await makeDatabase("postgres");
  await using survivor = await RunningProgram.start(urlOf(database), quiet);
  for (let round = 1; round <= killCount; round++) {
    await using victim = await RunningProgram.start(urlOf(database), quiet);
    const create = ({ client }: RunningProgram, name = `Animal ${round}`) =>
      client.call("/v1/pets", { body: { name, categoryId: round }, headers: { "idempotency-key": `round-${round}` } });
    const cut = Promise.withResolvers<void>();
    let responseCount = 0;
    const attempts = Array.from({ length: 32 }, async (_, index) => {
      const response = await create(index % 2 === 0 ? survivor : victim).catch(() => undefined);
      if (++responseCount >= (round * 5) % 32) cut.resolve();
      return response;
    });
    await cut.promise;
    await victim.signal("SIGKILL");
    const responses = (await Promise.all(attempts)).filter((response) => response !== undefined);
    const last = await untilDone(() => create(survivor));
    const copies = [...responses, last].filter(({ status }) => status !== 409);
    expect(new Set(copies.map(toComparable)).size).toBe(1);
    expect(last.status).toBe(201);
    expect(last.json).toMatchObject({ name: `Animal ${round}` });
    expect((await survivor.client.call(`/v1/pets?categoryId=${round}`)).json).toHaveLength(1);
    expect((await create(survivor, "Another")).status).toBe(422);
  }
});

describe.each<Engine>(["sqlite", "postgres"])("on %s", (engine) => {
  test("requests whose responses were lost by kill -9 are each carried out once, however often they are repeated", async () => {
    await using database = await makeDatabase(engine);
    const responses = new Map<string, string>();
    const names = Array.from({ length: 200 }, (_, index) => `request-${index}`);
    const send = async ({ client }: RunningProgram, name: string) => {
      const response = await client.call("/v1/pets", {
        body: { name, categoryId: 1 },
        headers: { "idempotency-key": name },
      });
      // The caller repeats requests that are in progress, or refused on a slow machine.
      if (response.status === 409 || response.status === 503) return;
      expect(response.status).toBe(201);
      expect(responses.get(name) ?? toComparable(response)).toBe(toComparable(response));
      responses.set(name, toComparable(response));
    };
    for (let kill = 1; kill <= killCount; kill++) {
      await using program = await RunningProgram.start(urlOf(database), quiet);
      const enough = Promise.withResolvers<void>();
      let sent = 0;
      const outcomes = Promise.allSettled(
        names.map(async (name) => {
          await send(program, name);
          if (++sent >= (kill * 60) % 200) enough.resolve();
        }),
      );
      await Promise.race([enough.promise, outcomes]);
      await program.signal("SIGKILL");
      for (const outcome of await outcomes) {
        if (outcome.status === "rejected" && !/socket|connect|closed/i.test(String(outcome.reason)))
          throw outcome.reason;
      }
    }
    await using program = await RunningProgram.start(urlOf(database), quiet);
    for (const name of names)
      await untilKnown(
        () => send(program, name),
        () => responses.has(name),
      );
    const found: string[] = [];
    for await (const { name } of program.client.walk("/v1/pets?limit=100")) found.push(name);
    expect(found.sort()).toEqual([...names].sort());
  });
});

describe.each<Engine>(["sqlite", "postgres"])("on %s", (engine) => {
  test("--idempotency-limit limits the idempotency records of an API key, even after a kill -9", async () => {
    await using database = await makeDatabase(engine);
    const args = ["--log-level", "off", "--idempotency-limit", "4"];
    const send = async ({ client }: RunningProgram, name: string) =>
      (await client.call("/v1/store/orders/1/cancel", { method: "POST", headers: { "idempotency-key": name } })).status;
    {
      await using program = await RunningProgram.start(urlOf(database), { args });
      expect([await send(program, "a"), await send(program, "b"), await send(program, "c")]).toEqual([404, 404, 404]);
      await program.signal("SIGKILL");
    }
    await using program = await RunningProgram.start(urlOf(database), { args });
    expect([await send(program, "d"), await send(program, "e"), await send(program, "a")]).toEqual([404, 429, 404]);
  });
});

function toComparable({ status, text, headers }: CheckedResponse): string {
  return JSON.stringify([status, text, headers.get("location"), headers.get("etag")]);
}

/** Repeats a request until no earlier attempt is in progress. */
async function untilDone(send: () => Promise<CheckedResponse>): Promise<CheckedResponse> {
  for (;;) {
    const response = await send();
    if (response.status !== 409) return response;
    await pause();
  }
}

async function untilKnown(work: () => Promise<void>, isKnown: () => boolean): Promise<void> {
  await until(async () => {
    await work();
    return isKnown();
  });
}
