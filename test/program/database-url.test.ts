import { describe, expect, test } from "bun:test";
import { databaseOn, sharedPostgres, urlOf } from "../support/database.ts";
import { RunningProgram } from "../support/program.ts";

/** A port that nothing listens on. */
const deadPort = 1;

describe("whatever DATABASE_URL holds, only the service reads it", () => {
  const serves = async ({ client }: RunningProgram) => {
    const pet = await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    expect(pet.status).toBe(201);
    expect((await client.call("/v1/store/orders", { body: { petId: 1 } })).status).toBe(201);
    expect((await client.call("/v1/pets?status=pending")).json).toMatchObject([{ id: 1 }]);
  };

  test("several addresses of PostgreSQL, of which one is dead", async () => {
    await using database = databaseOn((await sharedPostgres()).url);
    const url = urlOf(database).replace("@127.0.0.1:", `@127.0.0.1:${deadPort},127.0.0.1:`);
    await using program = await RunningProgram.start(undefined, { environment: { DATABASE_URL: url } });
    await serves(program);
  });

  test.each(["sqlite:elsewhere.db", "mysql://127.0.0.1:1/x", "postgres://127.0.0.1:1/x"])(
    "%s, while --database names another",
    async (url) => {
      await using database = databaseOn((await sharedPostgres()).url);
      await using program = await RunningProgram.start(urlOf(database), { environment: { DATABASE_URL: url } });
      await serves(program);
    },
  );
});
