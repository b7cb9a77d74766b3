import { expect } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { linuxSkipReason, succeeds, testUnless } from "../support/conditional-test.ts";
import { databaseOn, sharedPostgres, urlOf } from "../support/database.ts";
import { LineReader, RunningProgram, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const hourMs = 3_600_000;
const request = { body: { name: "Rex", categoryId: 1 }, headers: { "idempotency-key": "once" } };

/** Output of a command that prints the path of the library of faketime; false if faketime is not installed. */
const fakeTime =
  succeeds("faketime", "--version") && spawnSync("faketime", ["-m", "-f", "+0", "printenv", "LD_PRELOAD"]);
const skipReason =
  linuxSkipReason("LD_PRELOAD") ?? (fakeTime ? undefined : "there is no faketime here to set a program's clock");

/** Makes a clock that a test can set ahead. Programs that start with the returned environment use the clock. */
function makeClock(folder: string) {
  const file = join(folder, "clock");
  const set = (hoursAhead: number) => writeFileSync(file, `+${hoursAhead}h`);
  set(0);
  return {
    set,
    environment: {
      LD_PRELOAD: fakeTime ? fakeTime.stdout.toString().trim() : "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    },
  };
}

function parseLastLine(text: string): unknown {
  return JSON.parse(text.trim().split("\n").at(-1) ?? "");
}

async function measureHoursAhead({ client }: RunningProgram): Promise<number> {
  const { headers } = await client.call("/healthz");
  return Math.abs(Math.round((Date.parse(headers.get("date") ?? "") - Date.now()) / hourMs));
}

testUnless(skipReason, "an instance whose clock is 25 hours ahead behaves like the others", async () => {
  using folder = temporaryFolder();
  const clock = makeClock(folder.path);
  const { url } = await sharedPostgres();
  await using database = databaseOn(url);
  const args = ["--log-level", "off", "--pool-size", "2"];
  await using right = await RunningProgram.start(urlOf(database), { args });
  clock.set(25);
  await using wrong = await RunningProgram.start(urlOf(database), { args, environment: clock.environment });
  expect([await measureHoursAhead(right), await measureHoursAhead(wrong)]).toEqual([0, 25]);

  const first = await right.client.call("/v1/pets", request);
  const again = await wrong.client.call("/v1/pets", request);
  expect(first.status).toBe(201);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.text).toBe(first.text);

  const expiresAt = new Date(Date.now() + hourMs).toISOString();
  const createResponse = await right.client.call("/v1/keys", { body: { name: "till", scope: "write", expiresAt } });
  const { key } = createResponse.json as { key: string };
  expect((await wrong.client.call("/v1/pets", { key })).status).toBe(200);

  const order = await wrong.client.call("/v1/store/orders", { key, body: { petId: 1 } });
  const { createdAt } = order.json as { createdAt: string };
  expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(hourMs);

  const command = ["keys", "create", "--name", "door", "--expires", "2h", "--database", urlOf(database)];
  expect(await runProgram(command, { environment: clock.environment })).toMatchObject({ exitCode: 0 });
  const keys = (await right.client.call("/v1/keys")).json as { name: string; expiresAt: string }[];
  const expiry = Date.parse(keys.find(({ name }) => name === "door")?.expiresAt ?? "");
  expect(Math.abs(expiry - Date.now() - 2 * hourMs)).toBeLessThan(hourMs);

  const later = await wrong.client.call("/v1/pets", request);
  expect(later.headers.get("idempotent-replayed")).toBe("true");
});

testUnless(
  skipReason,
  "when the clock jumps ahead, nothing is deleted, and a repeated request is not carried out again",
  async () => {
    using folder = temporaryFolder();
    const clock = makeClock(folder.path);
    const args = ["--event-retention", "1h"];
    const file = join(folder.path, "store.db");
    await using program = await RunningProgram.start(file, { args, environment: clock.environment });
    const first = await program.client.call("/v1/pets", request);
    expect((await program.client.call("/v1/pets", { body: request.body })).status).toBe(201);
    clock.set(25);
    const requireReplay = async () => {
      const again = await program.client.call("/v1/pets", request);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.text).toBe(first.text);
    };
    const jump = parseLastLine(await new LineReader(program.child.stderr).until(/the clock has jumped/));
    expect(jump).toMatchObject({ level: "warn", message: "nothing is deleted because of its age for one hour" });
    await requireReplay();
    const events = (await program.client.call("/v1/events?type=pet.created")).json as { subject: string }[];
    expect(events.map(({ subject }) => subject)).toEqual(["pets/1", "pets/2"]);
  },
);

testUnless(skipReason, "an instance on PostgreSQL replays requests even after its clock was set ahead", async () => {
  using folder = temporaryFolder();
  const clock = makeClock(folder.path);
  await using database = databaseOn((await sharedPostgres()).url);
  const args = ["--log-level", "off", "--pool-size", "2"];
  await using program = await RunningProgram.start(urlOf(database), { args, environment: clock.environment });
  const first = await program.client.call("/v1/pets", request);
  clock.set(25);
  // The service updates its Date header several times a second, not for each response.
  await until(async () => (await measureHoursAhead(program)) === 25);
  const again = await program.client.call("/v1/pets", request);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.text).toBe(first.text);
});
