import { expect, test } from "bun:test";
import { ApiError, ConnectionError } from "../../../packages/client/src/index.ts";
import { IdempotencyKeys } from "./action.ts";

const rex = { name: "Rex", categoryId: 2n ** 60n };
const createConflictError = (headers: Record<string, string>) =>
  new ApiError(new Response(null, { status: 409, headers }), { code: "Conflict", detail: "It is pending." });
const max = { name: "Max", categoryId: 2n ** 60n };

test("content that may have reached the store keeps its idempotency key, even if other content is submitted in between", () => {
  const idempotencyKeys = new IdempotencyKeys();
  const first = idempotencyKeys.createOptions(rex).idempotencyKey;
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  idempotencyKeys.recordOutcome(rex, Object.assign(new ConnectionError("It broke."), { mayHaveSucceeded: true }));
  idempotencyKeys.recordOutcome(rex, createConflictError({ "Retry-After": "1" }));
  expect(idempotencyKeys.createOptions(max).idempotencyKey).not.toBe(first);
  expect(idempotencyKeys.createOptions(rex).idempotencyKey).toBe(first);
});

test("submitting the same content again uses a new idempotency key after a success or a refusal", () => {
  const idempotencyKeys = new IdempotencyKeys();
  const first = idempotencyKeys.createOptions(rex).idempotencyKey;
  idempotencyKeys.recordOutcome(rex, createConflictError({}));
  const second = idempotencyKeys.createOptions(rex).idempotencyKey;
  expect(second).not.toBe(first);
  idempotencyKeys.recordOutcome(rex, null);
  expect(idempotencyKeys.createOptions(rex).idempotencyKey).not.toBe(second);
});
