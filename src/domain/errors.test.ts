import { expect, test } from "bun:test";
import { describeCause, ServiceError } from "./errors.ts";

test("an expected error is described by its own message or that of its cause, and an unexpected error by its stack", () => {
  const slow = new ServiceError("ServiceUnavailable", "The store is too slow now.");
  expect(describeCause(slow)).toBe("The store is too slow now.");
  const bug = new TypeError("x is undefined");
  expect(describeCause(new ServiceError("InternalServerError", "Something went wrong.", bug))).toBe(String(bug.stack));
  expect(describeCause(new ServiceError("ServiceUnavailable", "Try again.", slow))).toBe("The store is too slow now.");
  expect(describeCause("nothing at all")).toBe("nothing at all");
});
