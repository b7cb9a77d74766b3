import { expect, test } from "bun:test";
import { join } from "node:path";
import { RunningProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const killCount = Number(process.env["KILLS"] ?? 5);
const writerCount = 64;

test("every acknowledged animal survives kill -9, and no id is assigned twice", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const acknowledged = new Map<number, string>();
  let highestId = 0;
  for (let kill = 1; kill <= killCount; kill++) {
    const before = acknowledged.size;
    const firstOfRun = await killUnderLoad(path, `run ${kill}`, acknowledged);
    expect(firstOfRun).toBeGreaterThan(highestId);
    expect(acknowledged.size - before).toBeGreaterThan(writerCount);
    highestId = await verify(path, acknowledged);
  }
});

/** Kills the program while many clients write. Returns the smallest id of the run. */
async function killUnderLoad(path: string, label: string, acknowledged: Map<number, string>): Promise<number> {
  await using program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  const ids: number[] = [];
  const enough = Promise.withResolvers<void>();
  const write = async (writer: number) => {
    for (let turn = 0; ; turn++) {
      const name = `${label}, writer ${writer}, turn ${turn}`;
      const response = await program.client.call("/v1/pets", { body: { name, categoryId: writer } });
      expect(response.status).toBe(201);
      const { id } = response.json as { id: number };
      expect(acknowledged.has(id)).toBe(false);
      acknowledged.set(id, name);
      ids.push(id);
      if (ids.length === 2 * writerCount + Math.floor(Math.random() * 5 * writerCount)) enough.resolve();
      if (ids.length > 10 * writerCount) enough.resolve();
    }
  };
  const ended = Promise.allSettled(Array.from({ length: writerCount }, (_, index) => write(index)));
  await Promise.race([enough.promise, ended]);
  await program.signal("SIGKILL");
  for (const outcome of await ended) {
    if (outcome.status === "rejected" && !/socket|connect|closed/i.test(String(outcome.reason))) throw outcome.reason;
  }
  return ids.reduce((smallest, id) => Math.min(smallest, id));
}

/** Checks that a new process finds every acknowledged animal. Returns the highest id. */
async function verify(path: string, acknowledged: ReadonlyMap<number, string>): Promise<number> {
  await using program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  const storedNames = new Map<number, string>();
  for await (const { id, name } of program.client.walk("/v1/pets?limit=100")) storedNames.set(id, name);
  for (const [id, name] of acknowledged) expect(storedNames.get(id)).toBe(name);
  expect(await program.signal("SIGTERM")).toBe(0);
  return Math.max(...storedNames.keys());
}
