import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../support/commands.ts";
import { settingVariables } from "../support/environment.ts";
import { LineReader, programKey, RunningProgram, runProgram, spawn } from "../support/program.ts";
import { Receiver } from "../support/receiver.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";
import { fetchDeliveries } from "../support/webhooks.ts";

test("the tests run without settings from the environment", () => {
  const declared = allCommands.flatMap(([, { settings }]) =>
    Object.values(settings).flatMap(({ environment }) => environment ?? []),
  );
  expect(settingVariables).toEqual([...new Set(declared)].sort());
  for (const name of settingVariables) expect(`${name}=${process.env[name] ?? ""}`).toBe(`${name}=`);
});

/** The commands run in the order of the examples, on one store that a service also uses. */
describe("every command", () => {
  let folder = "";
  let service: RunningProgram;
  let receiver: Receiver;
  beforeAll(async () => {
    folder = makeTemporaryFolder("test");
    receiver = await Receiver.start();
    service = await RunningProgram.start(join(folder, "animals.db"), {
      environment: { ANIMAL_STORE_WEBHOOK_KEY: "a passphrase for tests", WEBHOOK_ALLOW: "127.0.0.0/8" },
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    HOME: folder,
    ANIMAL_STORE_URL: service.client.url.href,
    ANIMAL_STORE_API_KEY: programKey,
    DATABASE_URL: `sqlite:${join(folder, "animals.db")}`,
  });
  const run = (args: readonly string[]) => runProgram(args, { environment: environment(), stdin: programKey });

  /** For each command, the arguments, and a part of the output with --json. */
  const examples: Readonly<Record<string, () => [args: string[], printed: object]>> = {
    login: () => [[], { profile: "default", key: { scope: "admin" } }],
    profiles: () => [[], { name: "default", url: service.client.url.origin }],
    logout: () => [[], { profile: "default", isForgotten: true }],
    "pets add": () => [["--name", "Rex", "--category", "9007199254740993"], { id: 1, name: "Rex" }],
    "pets update": () => [["1", "--name", "Rexy"], { id: 1, name: "Rexy" }],
    "pets list": () => [["--status", "available"], { id: 1, status: "available" }],
    "pets get": () => [["1"], { id: 1, name: "Rexy" }],
    "orders place": () => [["1"], { id: 1, petId: 1, status: "placed" }],
    "orders list": () => [[], { id: 1 }],
    "orders get": () => [["1"], { id: 1 }],
    "orders complete": () => [["1"], { id: 1, status: "completed" }],
    "orders cancel": () => [[String(secondOrderId)], { id: secondOrderId, status: "cancelled" }],
    "pets delete": () => [["2"], { id: 2, isDeleted: true }],
    "categories name": () => [["-5", "Dogs"], { id: -5, name: "Dogs" }],
    "categories list": () => [[], { id: -5 }],
    "categories get": () => [["-5"], { name: "Dogs" }],
    "categories delete": () => [["-5"], { id: -5, isDeleted: true }],
    inventory: () => [[], { available: 0, pending: 0, sold: 1 }],
    "events list": () => [["--type", "pet.created", "--limit", "1"], { type: "pet.created", subject: "pets/1" }],
    "webhooks create": () => [["--to", receiver.url, "--type", "pet.created"], { id: 1, types: ["pet.created"] }],
    "webhooks list": () => [[], { id: 1 }],
    "webhooks get": () => [["1"], { id: 1 }],
    "webhooks test": () => [["1"], { type: "webhook.test", outcome: "delivered" }],
    "webhooks update": () => [["1", "--description", "mine", "--type", "all"], { types: [], description: "mine" }],
    "webhooks rotate": () => [["1", "--overlap", "0"], { id: 1 }],
    "webhooks replay": () => [["1", "--from", "beginning"], { id: 1 }],
    "webhooks deliveries": () => [["1", "--limit", "100"], { type: expect.any(String) }],
    "webhooks retry": () => [["1", String(deliveryId)], { id: expect.any(Number) }],
    "webhooks delete": () => [["1"], { id: 1, isDeleted: true }],
    "keys create": () => [["--name", "till"], { id: 1, name: "till", key: expect.stringMatching(/^ask_/) }],
    "keys list": () => [[], { id: 1, name: "till", line: 1 }],
    "keys rotate": () => [["1"], { id: 2, key: expect.stringMatching(/^ask_/) }],
    "keys revoke": () => [["1"], { id: 1, state: "revoked" }],
    "keys current": () => [[], { id: null, name: "environment" }],
    health: () => [["--url", service.client.url.origin], { isReady: true }],
    doctor: () => [["--max-connections", "100"], { versions: { Bun: process.versions.bun } }],
    migrate: () => [[], { isDone: true, migrations: [] }],
    backup: () => [[join(folder, "backup.db")], { file: join(folder, "backup.db"), animals: 1 }],
    restore: () => [[join(folder, "backup.db"), "--database", `sqlite:${join(folder, "restored.db")}`], { animals: 1 }],
    compact: () => [["--database", `sqlite:${join(folder, "restored.db")}`], { bytes: expect.any(Number) }],
    check: () => [[], { rule: expect.any(String) }],
    copy: () => [
      ["--from", `sqlite:${join(folder, "restored.db")}`, "--to", `sqlite:${join(folder, "copied.db")}`],
      { copied: { animals: 1 } },
    ],
    import: () => [[newAnimals()], { added: 1, repeated: 0, rejected: 0, rejects: null }],
    export: () => [[], { id: 1, name: "Rexy" }],
    openapi: () => [[], { openapi: "3.1.1" }],
    completion: () => [["bash"], { shell: "bash" }],
  };
  const newAnimals = () => {
    const file = join(folder, "animals.ndjson");
    writeFileSync(file, '{"name":"Mia","categoryId":7}\n');
    return file;
  };
  let secondOrderId = 0;
  let deliveryId = 0;

  const endlessExamples: Readonly<Record<string, () => [args: string[], printed: object, exitCode: number]>> = {
    serve: () => [
      ["--port", "0", "--database", `sqlite:${join(folder, "copied.db")}`],
      { url: expect.stringMatching(/^http:/) },
      0,
    ],
    "events tail": () => [["--from", "beginning"], { type: "pet.created" }, 130],
    "webhooks listen": () => [["--forward-to", receiver.url], { secret: expect.stringMatching(/^whsec_/) }, 130],
  };

  test("every command has an example for --json", () => {
    const known = [...Object.keys(examples), ...Object.keys(endlessExamples)];
    expect(known.toSorted()).toEqual(allCommands.map(([path]) => path).toSorted());
  });

  test.each(Object.keys(examples))("a command with --json prints only JSON: %s", async (path) => {
    if (path === "orders cancel") {
      await run(["pets", "add", "--name", "Bella", "--category", "7"]);
      secondOrderId = JSON.parse((await run(["orders", "place", "2"])).stdout).id;
    }
    if (path === "webhooks retry") {
      // The service records a delivery only after the receiver has responded.
      await until(async () => {
        deliveryId = (await fetchDeliveries(service.client)).find(({ type }) => type !== "webhook.test")?.id ?? 0;
        return deliveryId > 0;
      });
    }
    const [args, printed] = examples[path]?.() ?? [[], {}];
    const { stdout, stderr, exitCode } = await run([...path.split(" "), ...args, "--json"]);
    // The findings of doctor depend on the machine.
    if (path !== "doctor") expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const [first] = Array.from(stdout.trimEnd().split("\n"), (line) => JSON.parse(line));
    expect(first).toMatchObject(printed);
  });

  test.each(Object.keys(endlessExamples))("a command with --json prints JSON until it is stopped: %s", async (path) => {
    const [args, printed, exitCode] = endlessExamples[path]?.() ?? [[], {}, 0];
    const child = spawn([...path.split(" "), ...args, "--json"], { environment: environment() });
    expect(JSON.parse(await new LineReader(child.stdout).until(/./))).toMatchObject(printed);
    child.kill("SIGINT");
    expect(await child.exited).toBe(exitCode);
  });
});
