import { expect, test } from "bun:test";
import { byDescendingLength } from "./order.ts";

const namesOf = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name);

test("jobs run in descending order of their last durations", () => {
  const jobs = ["a", "b", "c"].map((name) => ({ name, source: "" }));
  expect(namesOf(byDescendingLength(jobs, { a: 20, b: 3000, c: 100 }))).toEqual(["b", "c", "a"]);
});

test("the duration of a new job is estimated from its length and from the programs that it starts", () => {
  const jobs = [
    { name: "short", source: 'import { expect, test } from "bun:test";' },
    { name: "long", source: "expect(1).toBe(1);".repeat(100) },
    { name: "program", source: 'import { runProgram } from "../support/program.ts";' },
    { name: "browser", source: 'import { test, visit } from "../support/browser.ts";' },
    { name: "deployment", source: 'import { Deployment } from "../support/deployment.ts";\n'.repeat(2) },
    { name: "known", source: "" },
  ];
  expect(namesOf(byDescendingLength(jobs, { known: 30_000 }))).toEqual([
    "deployment",
    "browser",
    "known",
    "program",
    "long",
    "short",
  ]);
});
