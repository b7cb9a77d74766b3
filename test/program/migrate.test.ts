import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Engine, makeDatabase, urlOf } from "../support/database.ts";
import { runProgram } from "../support/program.ts";

describe.each<Engine>(["sqlite", "postgres"])("migrate on %s", (engine) => {
  test("says what is to be done, does it once, and then says that nothing is", async () => {
    await using database = await makeDatabase(engine);
    const { address } = database;
    const migrate = (...args: string[]) => runProgram(["migrate", "--database", urlOf(database), ...args]);
    const told = (verb: string) =>
      ["animals and keys", "orders, categories, inventory and repeated requests", "lines of keys"]
        .map((name) => `${verb}: ${name}\n`)
        .join("");
    for (let turn = 0; turn < 2; turn++) {
      expect(await migrate("--dry-run")).toEqual({ stdout: told("To be done"), stderr: "", exitCode: 0 });
    }
    if (address.kind === "sqlite") expect(existsSync(address.path)).toBe(false);
    expect(await migrate()).toEqual({ stdout: told("Done"), stderr: "", exitCode: 0 });
    expect(await migrate("--dry-run")).toEqual({ stdout: "The schema is up to date.\n", stderr: "", exitCode: 0 });
    await database.fill(3);
    expect(await migrate()).toEqual({ stdout: "The schema is up to date.\n", stderr: "", exitCode: 0 });
  });
});

test("migrate on a server that is not there is one line and exit code 2", async () => {
  expect(await runProgram(["migrate", "--database", "postgres://me:secret@127.0.0.1:1/x"])).toEqual({
    stdout: "",
    stderr:
      "animal-store: The PostgreSQL database cannot be used: 127.0.0.1:1: ERR_POSTGRES_CONNECTION_REFUSED: Failed to connect.\n",
    exitCode: 2,
  });
});
