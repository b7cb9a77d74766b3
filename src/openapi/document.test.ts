import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile, type Validator } from "typebox/schema";
import { operations } from "../operations/index.ts";
import { createOpenApiDocument } from "./document.ts";
import { formatDocument } from "./format-document.ts";

const folder = join(import.meta.dir, "../..");
const committedPath = join(folder, "openapi.json");

async function run(tool: string, ...args: string[]) {
  const child = Bun.spawn([join(folder, "node_modules/.bin", tool), ...args], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "ignore",
  });
  const [stdout, exitCode] = await Promise.all([child.stdout.text(), child.exited]);
  return { exitCode, stdout };
}

const validators = new Map<string, Validator<object>>();

test("openapi.json equals the document that the program prints", async () => {
  const child = Bun.spawn([process.execPath, join(folder, "src/main.ts"), "openapi"], { stdout: "pipe" });
  expect(readFileSync(committedPath, "utf8")).toBe(await child.stdout.text());
});

test("the OpenAPI document passes the rules of redocly.yaml without a warning", async () => {
  const { exitCode, stdout } = await run("redocly", "lint", "--format", "json", committedPath);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
  expect(exitCode).toBe(0);
});

const document = createOpenApiDocument(operations, [
  { url: "https://shop.test/v1", description: "Production" },
]) as unknown as Document;

test("the OpenAPI document has the tags, the security scheme, the schemas and the stable operations of the API", () => {
  expect(document.openapi).toStartWith("3.1.");
  expect(document.info.version).toBe("1.0.0");
  expect(document.tags.map(({ name }) => name).join()).toBe("animals,store,categories,events,keys,webhooks");
  expect(document.security).toEqual([{ bearerAuth: [] }]);
  expect(document.components.securitySchemes).toMatchObject({ bearerAuth: { type: "http", scheme: "bearer" } });
  for (const name of ["PetStatus", "NewPet", "Pet", "Pets", "Error", "Order", "Category", "Inventory", "Key"]) {
    expect(document.components.schemas).toHaveProperty(name);
  }
  const stableOperations = allOperations().filter(([, operation]) => operation["x-stability-level"] === "stable");
  expect(stableOperations.map(([, { operationId, tags }]) => [operationId, tags])).toEqual([
    ["listPets", ["animals"]],
    ["createPet", ["animals"]],
    ["getPet", ["animals"]],
  ]);
});

test("the OpenAPI document marks stability, deprecation and sunset", () => {
  const levels = allOperations().map(([, operation]) => operation["x-stability-level"]);
  expect([...new Set(levels)]).toEqual(["stable", "beta", "experimental"]);
  const betaParameters = allOperations()
    .filter(([, operation]) => operation["x-stability-level"] === "stable")
    .flatMap(([, { parameters }]) => parameters.filter((one) => one["x-stability-level"] === "beta"));
  expect(betaParameters.map(({ name }) => name)).toEqual(["categoryId", "sort", "name", "Idempotency-Key"]);
  const deprecatedOperations = allOperations().filter(([, operation]) => operation.deprecated);
  expect(deprecatedOperations.map(([, operation]) => [operation.operationId, operation["x-sunset"]])).toEqual([
    ["getPet", "2030-12-05"],
  ]);
});

test("the OpenAPI document has the bounds and the default of the parameter `limit`", () => {
  const limit = document.paths["/pets"]?.["get"]?.parameters.find(({ name }) => name === "limit");
  expect(limit?.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 20 });
});

test("every parameter has an example that matches its schema", () => {
  let count = 0;
  for (const [, { operationId, parameters }] of allOperations()) {
    for (const { name, schema, example } of parameters) {
      expect([operationId, name, example]).toEqual([operationId, name, expect.anything()]);
      expect([operationId, name, getValidator(schema).Check(example)]).toEqual([operationId, name, true]);
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});

test("every body has an example, and every example matches its schema", () => {
  let exampleCount = 0;
  for (const [name, { requestBody, responses }] of allOperations()) {
    const contents = [requestBody, ...Object.values(responses)].flatMap((body) => Object.entries(body?.content ?? {}));
    for (const [type, content] of contents) {
      const values = Object.values(content.examples);
      if (values.length === 0) throw new Error(`${name} has no example of ${type}.`);
      for (const { value } of values) expect(getValidator(content.schema).Errors(value)).toEqual([true, []]);
      exampleCount += values.length;
    }
  }
  expect(exampleCount).toBeGreaterThan(30);
});

test("every error is documented with a plain body and with an RFC 9457 body", () => {
  for (const [, { responses }] of allOperations()) {
    for (const status of ["400", "401", "429", "500", "503"]) {
      expect(Object.keys(responses[status]?.content ?? {})).toEqual(["application/json", "application/problem+json"]);
    }
  }
  expect(Object.keys(document.paths["/pets"]?.["post"]?.responses ?? {}).join(" ")).toBe(
    "201 400 401 403 408 409 412 413 415 422 429 500 503 507",
  );
  expect(Object.keys(document.paths["/pets/{petId}"]?.["get"]?.responses ?? {}).join(" ")).toBe(
    "200 304 400 401 404 410 412 429 500 503",
  );
});

test("defaults and examples match their schemas, and every array has a schema for its items", () => {
  const accepts = (schema: object, value: unknown) =>
    Compile<object>({ ...schema, components: document.components }).Check(value);
  const invalidNodes = [...listNodes(document)].filter(([, node]) => {
    const { default: preset, schema, example, type, items } = node as Record<string, unknown>;
    if (preset !== undefined && !accepts(node, preset)) return true;
    if (example !== undefined && typeof schema === "object" && !accepts(schema ?? {}, example)) return true;
    return type === "array" && items === undefined;
  });
  expect(invalidNodes.map(([location]) => location)).toEqual([]);
});

test("only query parameters have a default, because generated clients treat fields with a default as required", () => {
  const defaults = [...listNodes(document)].filter(([, node]) => "default" in node).map(([location]) => location);
  expect(defaults.length).toBeGreaterThan(0);
  for (const location of defaults) expect(location).toMatch(/^\/paths\/.*\/parameters\/\d+\/schema$/);
  expect(schemaOf("NewPet").properties["status"]?.description).toContain("`available`");
  expect(schemaOf("KeyRotation").properties["overlapSeconds"]?.description).toContain("86400");
});

test("every list has a maximum length, and no list of required fields is empty", () => {
  const lists = [...listNodes(document)].filter(([, node]) => node["type"] === "array");
  expect(lists.length).toBeGreaterThan(4);
  for (const [location, { maxItems }] of lists) {
    const maximum = location.includes("/parameters/") ? expect.any(Number) : /PetBatch/.test(location) ? 1000 : 100;
    expect([location, maxItems]).toEqual([location, maximum]);
  }
  for (const [location, { required }] of listNodes(document)) expect([location, required]).not.toEqual([location, []]);
});

test("every allOf has a single schema, because Schemathesis may not terminate with several", () => {
  const violations = [...listNodes(document)].filter(([, { allOf }]) => Array.isArray(allOf) && allOf.length !== 1);
  expect(violations.map(([location]) => location)).toEqual([]);
});

test("the stability guide explains every extension keyword", () => {
  const extensions = new Set(
    [...listNodes(document)].flatMap(([, node]) => Object.keys(node)).filter((key) => /^x-/.test(key)),
  );
  expect([...extensions].sort()).toEqual(["x-required-scope", "x-stability-level", "x-sunset"]);
  const guide = readFileSync(join(folder, "docs/stability.md"), "utf8");
  for (const keyword of extensions) expect(guide).toContain(`| \`${keyword}\` |`);
});

test("the OpenAPI document is plain ASCII, and its YAML form quotes every string", () => {
  expect(formatDocument(document, "json")).toMatch(/^[\n -~]+$/);
  const yaml = formatDocument(document, "yaml");
  expect(yaml).toMatch(/^[\n -~]+$/);
  expect(Bun.YAML.parse(yaml)).toEqual(JSON.parse(formatDocument(document, "json")));
  // Without quotes, YAML 1.1 reads this as a date, and `on` as true.
  expect(yaml).toContain('x-sunset: "2030-12-05"\n');
  for (const line of yaml.trimEnd().split("\n")) {
    const [, value = ""] = /^ *(?:- )*(?:(?:[\w$-]+|"[^"]+"):)? ?(.*)$/.exec(line) ?? [];
    if (value !== "") expect(() => JSON.parse(value.replaceAll("\\U", "u"))).not.toThrow();
  }
  const texts = { on: "no", y: ["1_000", "", [], {}, [["~"], { a: 1 }]], "\u202e": '🐕"\\\n\u200b', empty: {} };
  expect(Bun.YAML.parse(formatDocument(texts, "yaml"))).toEqual(texts);
});

test("the OpenAPI document lists the headers of each response, and marks those that are always present", () => {
  expect(headersOf("/pets", "get", "200")).toEqual({
    always: [...commonHeaders, "ETag", "Link"].sort(),
    sometimes: [...configuredHeaders, "Preference-Applied"].sort(),
  });
  expect(headersOf("/pets", "get", "304")).toEqual(headersOf("/pets", "get", "200"));
  expect(headersOf("/pets", "get", "400")).toEqual({
    always: commonHeaders,
    sometimes: [...configuredHeaders, "Preference-Applied"].sort(),
  });
  expect(headersOf("/pets", "get", "401")).toEqual({
    always: [...commonHeaders, "WWW-Authenticate"].sort(),
    sometimes: ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary"],
  });
  expect(headersOf("/pets", "get", "429")).toEqual({
    always: [...commonHeaders, "Retry-After"].sort(),
    sometimes: configuredHeaders,
  });
  expect(headersOf("/export", "get", "429").sometimes).toEqual([...configuredHeaders, "Preference-Applied"].sort());
  const deprecationHeaders = ["Deprecation", "Link", "Sunset"];
  expect(headersOf("/pets/{petId}", "get", "200").always).toEqual(expect.arrayContaining(deprecationHeaders));
  expect(headersOf("/pets/{petId}", "get", "404").always).toEqual([...commonHeaders, "Deprecation", "Sunset"].sort());
  expect(headersOf("/pets/{petId}", "get", "503").sometimes).toEqual(
    [...configuredHeaders, ...deprecationHeaders, "Preference-Applied"].sort(),
  );
  expect(headersOf("/pets/{petId}", "patch", "415").always).toEqual(["Accept", "Accept-Patch", ...commonHeaders]);
  expect(headersOf("/pets", "post", "415").always).toEqual(["Accept", ...commonHeaders]);
  expect(headersOf("/pets", "post", "409").always).toContain("Retry-After");
  expect(headersOf("/store/orders", "post", "409").sometimes).toContain("Retry-After");
  expect(headersOf("/keys", "post", "403").sometimes).toContain("WWW-Authenticate");
  expect(headersOf("/pets/{petId}", "delete", "204").always).toEqual(commonHeaders);
});

test("the OpenAPI document is smaller than 400 kB", () => {
  expect(formatDocument(document, "json").length).toBeLessThan(400_000);
});

const commonHeaders = ["Cache-Control", "Content-Security-Policy", "X-Content-Type-Options", "X-Request-Id"];
const configuredHeaders = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "RateLimit",
  "RateLimit-Policy",
  "Vary",
];

function headersOf(path: string, method: string, status: string) {
  const response = resolve(document.paths[path]?.[method]?.responses[status] ?? {});
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => ({ name, ...resolve(header) }));
  const names = (required: boolean) =>
    headers.filter((header) => Boolean(header.required) === required).map(({ name }) => name);
  return { always: names(true).sort(), sometimes: names(false).sort() };
}

/** Returns a cached validator, because many operations have the same bodies. */
function getValidator(schema: object) {
  const text = JSON.stringify(schema);
  const validator = validators.get(text) ?? Compile<object>({ ...schema, components: document.components });
  validators.set(text, validator);
  return validator;
}

function* listNodes(node: unknown, location = ""): Iterable<[string, Record<string, unknown>]> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield [location, node as Record<string, unknown>];
  for (const [key, value] of Object.entries(node)) {
    if (key !== "examples") yield* listNodes(value, `${location}/${key.replaceAll("/", "~1")}`);
  }
}

function schemaOf(name: string) {
  const schemas = document.components.schemas as Record<
    string,
    { properties: Record<string, { description?: string }> }
  >;
  return schemas[name] ?? { properties: {} };
}

function allOperations(): [string, OperationObject][] {
  return Object.values(document.paths).flatMap((item) =>
    Object.entries(item).map(([method, operation]): [string, OperationObject] => [
      method,
      {
        ...operation,
        parameters: operation.parameters.map(resolve),
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
        ),
      },
    ]),
  );
}

function resolve<Part extends object>(part: Part): Part {
  if (!("$ref" in part)) return part;
  const keys = String(part.$ref).replace("#/", "").split("/");
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Part;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly "x-sunset"?: string;
  readonly "x-stability-level": string;
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: object;
    readonly example: unknown;
    readonly "x-stability-level"?: string;
  }[];
  readonly requestBody?: BodyObject;
  readonly responses: Readonly<Record<string, BodyObject>>;
}

interface BodyObject {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema: object; readonly examples: Readonly<Record<string, { readonly value: unknown }>> }
    >
  >;
}
