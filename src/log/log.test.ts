import { expect, test } from "bun:test";
import { forMachines, forPeople } from "./log.ts";

const entry = { level: "warn", message: "request", fields: { path: "/v1/pets", status: 503, key: undefined } } as const;

test("for machines, an entry is one line of JSON with the time first", () => {
  const line = forMachines({ ...entry, fields: { ...entry.fields, path: "a\nb" } });
  expect(line).not.toContain("\n");
  const { time, ...rest } = JSON.parse(line);
  expect(new Date(time).toISOString()).toBe(time);
  expect(rest).toEqual({ level: "warn", message: "request", path: "a\nb", status: 503 });
});

test("for people, a request is a line that starts with the time of day and what became of it", () => {
  const fields = { ...entry.fields, method: "GET", milliseconds: 1.5, requestId: "a" };
  expect(forPeople({ ...entry, fields })).toMatch(
    /^\d\d:\d\d:\d\d {2}WARN {2}503 GET \/v1\/pets in 1.5 ms {2}requestId=a$/,
  );
  expect(forPeople({ level: "info", message: "stopped", fields: {} })).toMatch(/^\d\d:\d\d:\d\d {2}stopped$/);
});
