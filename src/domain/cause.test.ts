import { expect, test } from "bun:test";
import { describeCause } from "./cause.ts";
import { ServiceError } from "./errors.ts";

test("what was expected is told by its message, everything else with its stack", () => {
  const slow = new ServiceError("ServiceUnavailable", "The store is too slow now.");
  expect(describeCause(slow)).toBe("The store is too slow now.");
  const bug = new TypeError("x is undefined");
  expect(describeCause(new ServiceError("InternalServerError", "Something went wrong.", bug))).toBe(String(bug.stack));
  expect(describeCause(new ServiceError("ServiceUnavailable", "Try again.", slow))).toBe("The store is too slow now.");
  expect(describeCause("nothing at all")).toBe("nothing at all");
});
