import { expect, test } from "bun:test";
import { Submission } from "./submission.ts";

test("what is sent again unchanged has the same name, until it has succeeded", () => {
  const submission = new Submission();
  const first = submission.nameFor({ name: "Rex", categoryId: 2n ** 60n });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(submission.nameFor({ name: "Rex", categoryId: 2n ** 60n })).toBe(first);
  const changed = submission.nameFor({ name: "Max", categoryId: 2n ** 60n });
  expect(changed).not.toBe(first);
  submission.succeeded();
  expect(submission.nameFor({ name: "Max", categoryId: 2n ** 60n })).not.toBe(changed);
});
