import { expect, test } from "bun:test";
import { ApiError, ConnectionError } from "../../../packages/client/src/index.ts";
import { Submission } from "./action.ts";

const rex = { name: "Rex", categoryId: 2n ** 60n };
const conflict = (headers: Record<string, string>) =>
  new ApiError(new Response(null, { status: 409, headers }), { code: "Conflict", detail: "It is pending." });
const max = { name: "Max", categoryId: 2n ** 60n };

test("content that may have arrived keeps its idempotency key, even if other content is sent in between", () => {
  const submission = new Submission();
  const first = submission.optionsFor(rex).idempotencyKey;
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  submission.settle(rex, Object.assign(new ConnectionError("It broke."), { mayHaveSucceeded: true }));
  submission.settle(rex, conflict({ "Retry-After": "1" }));
  expect(submission.optionsFor(max).idempotencyKey).not.toBe(first);
  expect(submission.optionsFor(rex).idempotencyKey).toBe(first);
});

test("submitting the same content again uses a new idempotency key after a success or a refusal", () => {
  const submission = new Submission();
  const first = submission.optionsFor(rex).idempotencyKey;
  submission.settle(rex, conflict({}));
  const second = submission.optionsFor(rex).idempotencyKey;
  expect(second).not.toBe(first);
  submission.settle(rex, null);
  expect(submission.optionsFor(rex).idempotencyKey).not.toBe(second);
});
