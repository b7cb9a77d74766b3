import { expect, test } from "bun:test";
import { operation } from "./definition.ts";
import { int64Field, limitField } from "./fields.ts";
import { closeSchema } from "./schema.ts";

const valid = {
  id: "example",
  endpoint: "GET /examples",
  summary: "",
  description: "",
  success: { status: 200, description: "", schema: { type: "array" }, examples: {} },
  errors: [],
  handle: () => [],
};
const body = { schema: { type: "object", properties: { id: int64Field("") } }, examples: {} };
const define = (changes: object) => () => operation({ ...valid, ...changes } as never);

test("a consistent definition of an operation is accepted", () => {
  expect(define({})).not.toThrow();
  expect(
    define({
      query: { limit: limitField, id: int64Field("") },
      isPaged: true,
      isNewestLast: () => true,
    }),
  ).not.toThrow();
});

test.each<[string, object]>([
  ["only a GET can be a list", { endpoint: "POST /examples", isPaged: true, query: { limit: limitField } }],
  [
    "a list must have a schema of an array",
    { isPaged: true, query: { limit: limitField }, success: { ...valid.success, schema: { type: "object" } } },
  ],
  ["a list must take a limit", { isPaged: true }],
  ["only the pages of a list can be cached", { isNewestLast: () => true }],
  ["a GET has neither a body nor a current state", { current: { read: () => undefined } }],
  ["a GET has neither a body nor a current state", { body }],
  [
    "only a PUT that reads the current state can create",
    { endpoint: "PUT /examples", success: { ...valid.success, created: "New." } },
  ],
  [
    "only a PUT that reads the current state can create",
    { current: { read: () => undefined }, success: { ...valid.success, created: "New." } },
  ],
  ["the path and params must name the same parameters", { endpoint: "GET /examples/:id" }],
  ["the path and params must name the same parameters", { params: { id: int64Field("") } }],
  ["the body must be closed if and only if the operation is strict", { endpoint: "POST /keys", body }],
  [
    "the body must be closed if and only if the operation is strict",
    { endpoint: "POST /examples", body: { ...body, schema: closeSchema(body.schema as never) } },
  ],
  ["id has no text for what it expects", { endpoint: "GET /examples/:id", params: { id: { type: "integer" } } }],
  ["id has no text for what it expects", { query: { id: { type: "integer" } } }],
])("an inconsistent definition of an operation is refused: %s", (rule, changes) => {
  expect(define(changes)).toThrow(rule);
});
