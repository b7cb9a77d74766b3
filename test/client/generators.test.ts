import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnimalStore } from "../../src/client/index.ts";
import { projectFolder } from "../support/program.ts";
import { startService, type TestService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** What people generate clients with, as its own documentation says, and the README's first example written for it. */
const generators = {
  "openapi-typescript and openapi-fetch": {
    command: ["openapi-typescript", "openapi.json", "--output", "generated/schema.d.ts"],
    program: (baseUrl: string, key: string) => `
      import createClient from "openapi-fetch";
      import type { paths } from "./generated/schema";

      const headers = { Authorization: "Bearer ${key}" };
      const querySerializer = { array: { style: "form", explode: false } } as const;
      const client = createClient<paths>({ baseUrl: "${baseUrl}", headers, querySerializer });

      const created = await client.POST("/pets", { body: { name: "Rex", categoryId: 7 } });
      console.log(created.data?.status);
      const placed = await client.POST("/store/orders", { body: { petId: created.data?.id ?? 0 } });
      const path = { orderId: placed.data?.id ?? 0 };
      console.log((await client.POST("/store/orders/{orderId}/complete", { params: { path } })).data?.status);
      const listed = await client.GET("/pets", { params: { query: { status: "sold" } } });
      for (const pet of listed.data ?? []) console.log(pet.name, pet.categoryId);
      const refused = await client.POST("/pets", { body: { name: "", categoryId: 7 } });
      console.log(refused.error?.code);
      const several = await client.GET("/pets", { params: { query: { status: ["available", "sold"] } } });
      for (const pet of several.data ?? []) console.log(pet.name);
      const large = await client.GET("/pets", { params: { query: { status: "available" } } });
      for (const pet of large.data ?? []) console.log(pet.categoryId);`,
  },
  "hey-api": {
    command: ["openapi-ts", "--input", "openapi.json", "--output", "generated"],
    program: (baseUrl: string, key: string) => `
      import { client } from "./generated/client.gen";
      import { completeOrder, createPet, listPets, placeOrder } from "./generated";

      const querySerializer = { array: { style: "form", explode: false } } as const;
      client.setConfig({ baseUrl: "${baseUrl}", auth: "${key}", querySerializer });

      const created = await createPet({ body: { name: "Rex", categoryId: 7 }, throwOnError: true });
      console.log(created.data.status);
      const placed = await placeOrder({ body: { petId: Number(created.data.id) }, throwOnError: true });
      const path = { orderId: placed.data.id };
      console.log((await completeOrder({ path, throwOnError: true })).data.status);
      const listed = await listPets({ query: { status: "sold" }, throwOnError: true });
      for (const pet of listed.data) console.log(pet.name, Number(pet.categoryId));
      const refused = await createPet({ body: { name: "", categoryId: 7 } });
      console.log(refused.error?.code);
      const several = await listPets({ query: { status: ["available", "sold"] }, throwOnError: true });
      for (const pet of several.data) console.log(pet.name);
      const large = await listPets({ query: { status: "available" }, throwOnError: true });
      for (const pet of large.data) console.log(Number(pet.categoryId));`,
  },
  orval: {
    command: ["orval", "--config", "orval.config.json"],
    program: (_baseUrl: string, key: string) => `
      import { completeOrder, createPet, listPets, placeOrder } from "./generated/store";

      const options = { headers: { Authorization: "Bearer ${key}" } };

      const created = await createPet({ name: "Rex", categoryId: 7 }, options);
      if (created.status !== 201) throw new Error(String(created.status));
      console.log(created.data.status);
      const placed = await placeOrder({ petId: created.data.id }, options);
      if (placed.status !== 201) throw new Error(String(placed.status));
      console.log((await completeOrder(placed.data.id, undefined, options)).data.status);
      const listed = await listPets({ status: "sold" }, options);
      if (listed.status === 200) for (const pet of listed.data) console.log(pet.name, pet.categoryId);
      const refused = await createPet({ name: "", categoryId: 7 }, options);
      if (refused.status === 400) console.log(refused.data.code);
      const several = await listPets({ status: ["available", "sold"] }, options);
      if (several.status === 200) for (const pet of several.data) console.log(pet.name);
      const large = await listPets({ status: "available" }, options);
      if (large.status === 200) for (const pet of large.data) console.log(pet.categoryId);`,
  },
};

describe.each(Object.entries(generators))("a client generated with %s", (_, { command, program }) => {
  test("compiles under strict settings and works, but for integers that JSON.parse rounds", async () => {
    await using service = await startService();
    const { client } = service;
    await client.call("/v1/pets", { body: '{"name": "Nessie", "categoryId": 9007199254740993}' });
    expect(await printedBy(service, command, program(baseUrlOf(service), client.key))).toEqual([
      "available",
      "completed",
      "Rex 7",
      "BadRequest",
      "Nessie",
      "Rex",
      "9007199254740992",
    ]);
    const exact = new AnimalStore({ baseUrl: client.url.origin, apiKey: client.key });
    expect((await exact.pets.list({ status: "available" }).page()).items[0]?.categoryId).toBe(9007199254740993n);
  });
});

test("the program in docs/client.md for a generated client is right", async () => {
  await using service = await startService();
  const { client } = service;
  for (const status of ["available", "pending", "sold"]) {
    await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7, status } });
  }
  const page = readFileSync(join(projectFolder, "docs/client.md"), "utf8");
  const [, program = ""] = /^## Other clients$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const printed = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  const source = program.replace("http://127.0.0.1:8080/v1", baseUrlOf(service)).replace("ask_...", client.key);
  const { command } = generators["openapi-typescript and openapi-fetch"];
  expect(await printedBy(service, command, source)).toEqual(printed);
  expect(printed.length).toBeGreaterThan(0);
});

const generatorsFolder = join(projectFolder, "generators");

function baseUrlOf({ client }: TestService): string {
  return new URL("/v1", client.url).href;
}

/** The lines that a program prints with a client that the command generates from the service's document. */
async function printedBy(service: TestService, command: readonly string[], program: string): Promise<string[]> {
  using folder = temporaryFolder();
  const project = (name: string) => join(folder.path, name);
  writeFileSync(project("openapi.json"), (await service.client.call("/v1/openapi.json")).text);
  const output = { target: "generated/store.ts", client: "fetch", baseUrl: baseUrlOf(service) };
  writeFileSync(project("orval.config.json"), JSON.stringify({ store: { input: "openapi.json", output } }));
  writeFileSync(project("package.json"), JSON.stringify({ type: "module" }));
  mkdirSync(project("node_modules"));
  symlinkSync(
    dirname(Bun.resolveSync("openapi-fetch/package.json", generatorsFolder)),
    project("node_modules/openapi-fetch"),
  );

  const [generator = "", ...args] = command;
  run([process.execPath, join(generatorsFolder, "node_modules/.bin", generator), ...args], folder.path);
  writeFileSync(project("program.ts"), program);
  run([join(projectFolder, "node_modules/.bin/tsc"), "--strict", "--noEmit", "program.ts"], folder.path);

  const child = Bun.spawn([process.execPath, "program.ts"], { cwd: folder.path, env: process.env, stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

function run([program = "", ...args]: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
