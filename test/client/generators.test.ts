import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnimalStore } from "../../packages/client/src/index.ts";
import { compile } from "../support/compiler.ts";
import { projectFolder, runCommand } from "../support/program.ts";
import { startService, type TestService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const generatorsFolder = join(projectFolder, "generators");

/** Client generators, each used as its own documentation says, with a program that uses the generated client. */
const generators = {
  "openapi-typescript and openapi-fetch": {
    folder: "fetch",
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
    folder: "hey-api",
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
    folder: "orval",
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

/** The program in docs/client.md, which uses the client of the first generator, and its documented output. */
const documentedProgram = (() => {
  const page = readFileSync(join(projectFolder, "docs/client.md"), "utf8");
  const [, source = ""] = /^## Other clients$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const printed = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  const program = (baseUrl: string, key: string) =>
    source.replace("http://127.0.0.1:8080/v1", baseUrl).replace("ask_...", key);
  return { file: "fetch/documented.ts", program, printed };
})();
const fileOf = ({ folder }: { readonly folder: string }) => `${folder}/program.ts`;

const project = temporaryFolder();
const resolveInProject = (...names: string[]) => join(project.path, ...names);
const servicesByProgram = new Map<string, TestService>();

mkdirSync(resolveInProject("node_modules"));
const library = dirname(Bun.resolveSync("openapi-fetch/package.json", generatorsFolder));
symlinkSync(library, resolveInProject("node_modules/openapi-fetch"));
for (const generator of Object.values(generators)) await generate(generator);
await writeProgram(documentedProgram.file, documentedProgram.program);
// The programs are compiled together, because starting the compiler takes most of the time.
const diagnostics = compile(project.path, [...servicesByProgram.keys()], ["--noEmit"]);

afterAll(async () => {
  for (const service of servicesByProgram.values()) await service[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

test.each(Object.entries(generators))(
  "a client generated with %s compiles under strict settings and works, except for integers that JSON.parse rounds",
  async (_, generator) => {
    const { client } = serviceOf(fileOf(generator));
    await client.call("/v1/pets", { body: '{"name": "Nessie", "categoryId": 9007199254740993}' });
    expect(await runAndReadLines(fileOf(generator))).toEqual([
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
  },
);

test("the program in docs/client.md for a generated client prints the documented output", async () => {
  const { client } = serviceOf(documentedProgram.file);
  for (const status of ["available", "pending", "sold"]) {
    await client.call("/v1/pets", { body: { name: "Rex", categoryId: 7, status } });
  }
  expect(await runAndReadLines(documentedProgram.file)).toEqual(documentedProgram.printed);
  expect(documentedProgram.printed.length).toBeGreaterThan(0);
});

async function generate({ folder, command, program }: (typeof generators)[keyof typeof generators]): Promise<void> {
  mkdirSync(resolveInProject(folder));
  const service = await writeProgram(fileOf({ folder }), program);
  writeFileSync(resolveInProject(folder, "openapi.json"), (await service.client.call("/v1/openapi.json")).text);
  const output = { target: "generated/store.ts", client: "fetch", baseUrl: baseUrlOf(service) };
  const settings = { store: { input: "openapi.json", output } };
  writeFileSync(resolveInProject(folder, "orval.config.json"), JSON.stringify(settings));
  writeFileSync(resolveInProject(folder, "package.json"), JSON.stringify({ type: "module" }));
  const [generator = "", ...args] = command;
  const compilerCommand = [join(generatorsFolder, "node_modules/.bin", generator), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, compilerCommand, {
    cwd: resolveInProject(folder),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${compilerCommand.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}

async function writeProgram(file: string, program: (baseUrl: string, key: string) => string): Promise<TestService> {
  const service = await startService();
  servicesByProgram.set(file, service);
  writeFileSync(resolveInProject(file), program(baseUrlOf(service), service.client.key));
  return service;
}

function serviceOf(file: string): TestService {
  return servicesByProgram.get(file) as TestService;
}

function baseUrlOf({ client }: TestService): string {
  return new URL("/v1", client.url).href;
}

async function runAndReadLines(file: string): Promise<string[]> {
  const ownDiagnostics = diagnostics.filter((diagnostic) => dirname(file) === diagnostic.file.split("/")[0]);
  expect(ownDiagnostics).toEqual([]);
  const { stdout, stderr } = await runCommand([process.execPath, resolveInProject(file)]);
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}
