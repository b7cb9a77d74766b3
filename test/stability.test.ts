import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../src/operations/index.ts";
import { breakingChanges } from "./support/compatibility.ts";
import { projectFolder } from "./support/program.ts";

const read = (file: string) => JSON.parse(readFileSync(join(projectFolder, file), "utf8"));
const released = read("released/openapi.json");

test("no stable operation has changed, since the last release, in a way that can break a client", () => {
  expect(breakingChanges(released, read("openapi.json"))).toEqual([]);
});

test("what is deprecated works for at least a year from then on", () => {
  const deprecated = operations.flatMap(({ id, deprecated }) => (deprecated ? [{ id, ...deprecated }] : []));
  expect(deprecated.length).toBeGreaterThan(0);
  for (const { id, since, sunset } of deprecated) {
    const earliest = new Date(since);
    earliest.setUTCFullYear(earliest.getUTCFullYear() + 1);
    expect([id, Date.parse(sunset) >= earliest.getTime()]).toEqual([id, true]);
  }
});

describe("docs/stability.md and the document agree", () => {
  const guide = readFileSync(join(projectFolder, "docs/stability.md"), "utf8");
  const document = read("openapi.json");
  const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).sort();

  /** The rows of the table that begins with such a cell, without its head. */
  const rowsOf = (head: string) => {
    const [, table = ""] = guide.split(`| ${head} |`);
    const [rows = ""] = table.split("\n\n");
    return rows
      .split("\n")
      .slice(2)
      .map((row) => row.split("|").slice(1, -1));
  };

  test("about the stable operations, and the levels of their parameters", () => {
    const described = rowsOf("Operation").map(([name, stable, beta]) => [
      ...namesIn(name),
      namesIn(stable),
      namesIn(beta),
    ]);
    const all: Json[] = Object.values(document.paths).flatMap((item: Json) => Object.values(item));
    const stable = all.filter((operation) => operation["x-stability-level"] === "stable");
    const levelsOf = ({ operationId, parameters }: Json) => {
      const own = parameters.filter((parameter: Json) => ["path", "query"].includes(parameter.in));
      const ofLevel = (level: string) =>
        own.filter((one: Json) => (one["x-stability-level"] ?? "stable") === level).map(({ name }: Json) => name);
      return [operationId, ofLevel("stable").sort(), ofLevel("beta").sort()];
    };
    expect(described).toEqual(stable.map(levelsOf));
  });

  test("about the levels of request headers", () => {
    const reserved = ["Accept", "Authorization", "Content-Type"];
    const described = rowsOf("Request header").flatMap(([names, level]) =>
      namesIn(names).map((name) => `${name}: ${namesIn(level)}`),
    );
    const headers = Object.values<Json>(document.components.parameters);
    const levels = headers.map((header) => `${header.name}: ${header["x-stability-level"]}`);
    expect(described.sort()).toEqual([...new Set([...levels, ...reserved.map((name) => `${name}: stable`)])].sort());
  });
});

describe("a change that can break a client is found", () => {
  const listPets = ["paths", "/pets", "get"];
  const beta = ["paths", "/store/orders", "get"];
  const createPet = ["paths", "/pets", "post"];
  const status = ["components", "schemas", "PetStatus"];
  const newPet = ["components", "schemas", "NewPet"];
  const pet = ["components", "schemas", "Pet"];

  test.each<[what: string, place: string[], change: (node: Json) => void, found: string]>([
    ["a path is gone", ["paths"], (node) => delete node["/pets/{petId}"], "getPet is gone"],
    ["a method is gone", ["paths", "/pets"], (node) => delete node["post"], "createPet is gone"],
    ["a level falls", listPets, set("x-stability-level", "beta"), "listPets: its level is lower"],
    [
      "a level that is not the highest falls",
      beta,
      set("x-stability-level", "experimental"),
      "listOrders: its level is lower",
    ],
    ["a level is gone", listPets, (node) => delete node["x-stability-level"], "listPets: its level is lower"],
    [
      "the level of a parameter falls",
      [...listPets, "parameters", "0"],
      set("x-stability-level", "beta"),
      "listPets: the level of the parameter limit is lower",
    ],
    ["a scope grows", listPets, set("x-required-scope", "write"), "listPets: it needs a larger scope"],
    ["a parameter is gone", listPets, (node) => node["parameters"].shift(), "listPets: the parameter limit is gone"],
    [
      "a parameter is required",
      [...listPets, "parameters", "1"],
      set("required", true),
      "listPets: the parameter status is required",
    ],
    [
      "a new parameter is required",
      listPets,
      (node) => node["parameters"].push({ name: "shop", required: true }),
      "listPets: the parameter shop is new and required",
    ],
    [
      "a maximum falls",
      [...listPets, "parameters", "0", "schema"],
      set("maximum", 50),
      "listPets: the parameter limit has a narrower maximum",
    ],
    [
      "a minimum comes",
      [...newPet, "properties", "categoryId"],
      set("minimum", 0),
      "createPet: categoryId in the body has a narrower minimum",
    ],
    [
      "a length falls",
      [...newPet, "properties", "name"],
      set("maxLength", 100),
      "createPet: name in the body has a narrower maxLength",
    ],
    [
      "a pattern changes",
      [...newPet, "properties", "name"],
      set("pattern", "^[a-z]+$"),
      "createPet: name in the body has another pattern",
    ],
    [
      "some texts are no longer taken",
      [...newPet, "properties", "name"],
      set("not", { pattern: "x" }),
      "createPet: name in the body has another not",
    ],
    [
      "a page grows",
      ["components", "schemas", "Pets"],
      set("maxItems", 1000),
      "listPets: the answer 200 has a narrower maxItems",
    ],
    ["a field is required", newPet, (node) => node["required"].push("status"), "createPet: the body needs status"],
    [
      "a field of a body is gone",
      [...newPet, "properties"],
      (node) => delete node["status"],
      "createPet: the body has no status",
    ],
    ["a value is not taken", status, (node) => node["enum"].pop(), "listPets: the parameter status may not be sold"],
    [
      "a value is new in answers",
      status,
      (node) => node["enum"].push("lost"),
      "getPet: status in the answer 200 may not be lost",
    ],
    [
      "a field of an answer is gone",
      [...pet, "properties"],
      (node) => delete node["status"],
      "getPet: the answer 200 has no status",
    ],
    [
      "a field of an answer may be missing",
      pet,
      set("required", ["id", "name"]),
      "createPet: the answer 201 needs status",
    ],
    [
      "a field of an answer grows",
      [...pet, "properties", "id"],
      (node) => delete node["maximum"],
      "createPet: id in the answer 201 has a narrower maximum",
    ],
    [
      "a type changes",
      [...pet, "properties", "id"],
      set("type", "string"),
      "listPets: id in an item of the answer 200 has another type",
    ],
    [
      "a status changes",
      [...createPet, "responses"],
      (node) => delete node["201"],
      "createPet: 201 is not answered with",
    ],
    [
      "a header is gone",
      [...createPet, "responses", "201", "headers"],
      (node) => delete node["Location"],
      "createPet: 201 has no Location",
    ],
    [
      "a media type of bodies is gone",
      [...createPet, "requestBody", "content"],
      rename("application/json", "text/csv"),
      "createPet: a body of application/json is not taken",
    ],
    [
      "a media type of answers is gone",
      [...listPets, "responses", "200", "content"],
      rename("application/json", "text/csv"),
      "listPets: 200 does not come as application/json",
    ],
  ])("%s", (_, place, change, found) => {
    expect(breakingChanges(released, changed(place, change))).toContain(found);
  });
});

describe("a change that breaks no client is let pass", () => {
  test.each<[what: string, place: string[], change: (node: Json) => void]>([
    ["a new path", ["paths"], (node) => Object.assign(node, { "/new": { get: { operationId: "new" } } })],
    ["a new parameter", ["paths", "/pets", "get"], (node) => node["parameters"].push({ name: "shop" })],
    ["a larger maximum", ["paths", "/pets", "get", "parameters", "0", "schema"], set("maximum", 1000)],
    ["a new field of a body", ["components", "schemas", "NewPet", "properties"], set("colour", { type: "string" })],
    ["a new field of an answer", ["components", "schemas", "Pet", "properties"], set("colour", { type: "string" })],
    ["a new error", ["paths", "/pets", "post", "responses"], set("418", {})],
    ["a new header", ["paths", "/pets", "post", "responses", "201", "headers"], set("X-New", {})],
    ["other words", ["components", "schemas", "Pet"], set("description", "Other words.")],
    ["a beta operation that is gone", ["paths"], (node) => delete node["/categories"]],
    ["a beta parameter that is gone", ["paths", "/pets", "get"], (node) => node["parameters"].splice(2, 1)],
  ])("%s", (_, place, change) => {
    expect(breakingChanges(released, changed(place, change))).toEqual([]);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: The tests reach into a document as into any other JSON.
type Json = any;

/** The released document with one place of it changed. */
function changed(place: readonly string[], change: (node: Json) => void): unknown {
  const copy = structuredClone(released);
  const node = place.reduce((at, key) => at[key], copy);
  if (node === undefined) throw new Error(`There is no ${place.join(".")}.`);
  change(node);
  return copy;
}

function set(key: string, value: unknown): (node: Json) => void {
  return (node) => {
    node[key] = value;
  };
}

function rename(from: string, to: string): (node: Json) => void {
  return (node) => {
    node[to] = node[from];
    delete node[from];
  };
}
