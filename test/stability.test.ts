import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../src/operations/index.ts";
import { findBreakingChanges } from "./support/compatibility.ts";
import { projectFolder } from "./support/program.ts";

const read = (file: string) => JSON.parse(readFileSync(join(projectFolder, file), "utf8"));
const released = read("released/openapi.json");

test("no stable operation has had a breaking change since the last release", () => {
  expect(findBreakingChanges(released, read("openapi.json"))).toEqual([]);
});

test("a deprecated operation works for at least a year after its deprecation", () => {
  const deprecated = operations.flatMap(({ id, deprecated }) => (deprecated ? [{ id, ...deprecated }] : []));
  expect(deprecated.length).toBeGreaterThan(0);
  for (const { id, since, sunset } of deprecated) {
    const earliest = new Date(since);
    earliest.setUTCFullYear(earliest.getUTCFullYear() + 1);
    expect([id, Date.parse(sunset) >= earliest.getTime()]).toEqual([id, true]);
  }
});

const guide = readFileSync(join(projectFolder, "docs/stability.md"), "utf8");
const document = read("openapi.json");
const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).sort();

/** Returns the rows of the table whose first column has this heading. */
const readRows = (head: string) => {
  const [, table = ""] = guide.split(`| ${head} |`);
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").slice(1, -1));
};

test("the stability guide lists the stable operations with the levels of their parameters", () => {
  const described = readRows("Operation").map(([name, stable, beta]) => [
    ...namesIn(name),
    namesIn(stable),
    namesIn(beta),
  ]);
  const all: Json[] = Object.values(document.paths).flatMap((item: Json) => Object.values(item));
  const stable = all.filter((operation) => operation["x-stability-level"] === "stable");
  const describeLevels = ({ operationId, parameters }: Json) => {
    const own = parameters.filter((parameter: Json) => ["path", "query"].includes(parameter.in));
    const namesAtLevel = (level: string) =>
      own.filter((one: Json) => (one["x-stability-level"] ?? "stable") === level).map(({ name }: Json) => name);
    return [operationId, namesAtLevel("stable").sort(), namesAtLevel("beta").sort()];
  };
  expect(described).toEqual(stable.map(describeLevels));
});

test("the stability guide lists the levels of request headers", () => {
  const reserved = ["Accept", "Authorization", "Content-Type"];
  const described = readRows("Request header").flatMap(([names, level]) =>
    namesIn(names).map((name) => `${name}: ${namesIn(level)}`),
  );
  const headers = Object.values<Json>(document.components.parameters);
  const levels = headers.map((header) => `${header.name}: ${header["x-stability-level"]}`);
  expect(described.sort()).toEqual([...new Set([...levels, ...reserved.map((name) => `${name}: stable`)])].sort());
});

const listPets = "paths./pets.get";
const createPet = "paths./pets.post";
const schemas = "components.schemas";
const newPet = `${schemas}.NewPet`;
const pet = `${schemas}.Pet`;

const breakingCases: readonly [reported: string, path: string, change: (node: Json) => void][] = [
  ["getPet is gone", "paths", remove("/pets/{petId}")],
  ["createPet is gone", "paths./pets", remove("post")],
  ["listPets: the level is lower", listPets, set("x-stability-level", "beta")],
  ["listOrders: the level is lower", "paths./store/orders.get", set("x-stability-level", "experimental")],
  ["listPets: the level is lower", listPets, remove("x-stability-level")],
  ["listPets: the level of the parameter limit is lower", `${listPets}.parameters.0`, set("x-stability-level", "beta")],
  ["listPets: the scope is larger", listPets, set("x-required-scope", "write")],
  ["listPets: the parameter limit is gone", `${listPets}.parameters`, (node) => node.shift()],
  ["listPets: the parameter status is required", `${listPets}.parameters.1`, set("required", true)],
  [
    "listPets: the parameter shop is new and required",
    `${listPets}.parameters`,
    push({ name: "shop", required: true }),
  ],
  ["listPets: the parameter limit has a narrower maximum", `${listPets}.parameters.0.schema`, set("maximum", 50)],
  ["createPet: categoryId in the body has a narrower minimum", `${newPet}.properties.categoryId`, set("minimum", 0)],
  ["createPet: name in the body has a narrower maxLength", `${newPet}.properties.name`, set("maxLength", 100)],
  ["createPet: name in the body has a different pattern", `${newPet}.properties.name`, set("pattern", "^[a-z]+$")],
  ["createPet: name in the body has a different not", `${newPet}.properties.name`, set("not", { pattern: "x" })],
  ["listPets: the response 200 has a narrower maxItems", `${schemas}.Pets`, set("maxItems", 1000)],
  ["createPet: the body needs status", `${newPet}.required`, push("status")],
  ["createPet: the body has no status", `${newPet}.properties`, remove("status")],
  ["listPets: the parameter status does not allow sold", `${schemas}.PetStatus.enum`, (node) => node.pop()],
  ["getPet: status in the response 200 does not allow lost", `${schemas}.PetStatus.enum`, push("lost")],
  ["getPet: the response 200 has no status", `${pet}.properties`, remove("status")],
  ["createPet: the response 201 needs status", pet, set("required", ["id", "name"])],
  ["createPet: id in the response 201 has a narrower maximum", `${pet}.properties.id`, remove("maximum")],
  ["listPets: id in an item of the response 200 has a different type", `${pet}.properties.id`, set("type", "string")],
  ["createPet: 201 is no longer a response", `${createPet}.responses`, remove("201")],
  ["createPet: 201 has no Location", `${createPet}.responses.201.headers`, remove("Location")],
  ["createPet: a body of application/json is no longer accepted", `${createPet}.requestBody.content`, renameJsonToCsv],
  ["listPets: 200 is no longer available as application/json", `${listPets}.responses.200.content`, renameJsonToCsv],
];

test.each(breakingCases)("a breaking change is reported: %s", (found, path, change) => {
  expect(findBreakingChanges(released, changeReleased(path, change))).toContain(found);
});

const compatibleCases: readonly [description: string, path: string, change: (node: Json) => void][] = [
  ["a new path", "paths", set("/new", { get: { operationId: "new" } })],
  ["a new parameter", `${listPets}.parameters`, push({ name: "shop" })],
  ["a larger maximum", `${listPets}.parameters.0.schema`, set("maximum", 1000)],
  ["a new field of a body", `${newPet}.properties`, set("colour", { type: "string" })],
  ["a new field of a response", `${pet}.properties`, set("colour", { type: "string" })],
  ["a new error", `${createPet}.responses`, set("418", {})],
  ["a new header", `${createPet}.responses.201.headers`, set("X-New", {})],
  ["another description", pet, set("description", "Other words.")],
  ["a removed beta operation", "paths", remove("/categories")],
  ["a removed beta parameter", `${listPets}.parameters`, (node) => node.splice(2, 1)],
];

test.each(compatibleCases)("a compatible change is not reported: %s", (_, path, change) => {
  expect(findBreakingChanges(released, changeReleased(path, change))).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: The tests reach into a document as into any other JSON.
type Json = any;

/** Returns a copy of the released document with a change at one path. */
function changeReleased(path: string, change: (node: Json) => void): unknown {
  const copy = structuredClone(released);
  const node = path.split(".").reduce((at, key) => at[key], copy);
  if (node === undefined) throw new Error(`There is no ${path}.`);
  change(node);
  return copy;
}

function set(key: string, value: unknown): (node: Json) => void {
  return (node) => {
    node[key] = value;
  };
}

function remove(key: string): (node: Json) => void {
  return (node) => delete node[key];
}

function push(item: unknown): (node: Json) => void {
  return (node) => node.push(item);
}

function renameJsonToCsv(node: Json): void {
  node["text/csv"] = node["application/json"];
  delete node["application/json"];
}
