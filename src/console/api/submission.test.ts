import { expect, test } from "bun:test";
import { ApiError, unreachable } from "./api.ts";
import { Submission } from "./submission.ts";

const rex = { name: "Rex", categoryId: 2n ** 60n };
const max = { name: "Max", categoryId: 2n ** 60n };

test("what is sent again has the same name as long as it may have arrived, whatever else was sent between", () => {
  const submission = new Submission();
  const first = submission.nameFor(rex);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  submission.settle(rex, new ApiError(unreachable, "The store cannot be reached."));
  submission.settle(rex, new ApiError("Conflict", "Still under way.", {}, true));
  expect(submission.nameFor(max)).not.toBe(first);
  expect(submission.nameFor(rex)).toBe(first);
});

test("what was done, or refused, is something new when it is sent again", () => {
  const submission = new Submission();
  const first = submission.nameFor(rex);
  submission.settle(rex, new ApiError("Conflict", "It is pending."));
  const second = submission.nameFor(rex);
  expect(second).not.toBe(first);
  submission.settle(rex, null);
  expect(submission.nameFor(rex)).not.toBe(second);
});
