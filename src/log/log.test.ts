import { expect, test } from "bun:test";
import { formatAsJson, formatForPeople } from "./log.ts";

const entry = { level: "warn", message: "request", fields: { path: "/v1/pets", status: 503, key: undefined } } as const;

test("a log entry in JSON is one line that starts with the time", () => {
  const line = formatAsJson({ ...entry, fields: { ...entry.fields, path: "a\nb" } });
  expect(line).not.toContain("\n");
  const { time, ...rest } = JSON.parse(line);
  expect(new Date(time).toISOString()).toBe(time);
  expect(rest).toEqual({ level: "warn", message: "request", path: "a\nb", status: 503 });
});

test("a request in a log for people is one line that starts with the time of day and the status", () => {
  const fields = { ...entry.fields, method: "GET", milliseconds: 1.5, requestId: "a" };
  expect(formatForPeople({ ...entry, fields })).toMatch(
    /^\d\d:\d\d:\d\d {2}WARN {2}503 GET \/v1\/pets in 1.5 ms {2}requestId=a$/,
  );
  expect(formatForPeople({ level: "info", message: "stopped", fields: {} })).toMatch(/^\d\d:\d\d:\d\d {2}stopped$/);
});

const hostile = "\x1b[2J\x9b2J\x7f\u2028\u202e\u{e0001}\ud800";
const escaped = "\\u001b[2J\\u009b2J\\u007f\\u2028\\u202e\\udb40\\udc01";

test("a log entry in JSON has all control characters escaped, and parses to the original text", () => {
  const line = formatAsJson({
    level: "warn",
    message: hostile,
    fields: { path: hostile, file: [hostile], ok: "\u00e9\u200d" },
  });
  expect(line.split(`${escaped}\\ud800`)).toHaveLength(4);
  expect(line).toContain('"ok":"\u00e9\u200d"');
  expect(JSON.parse(line)).toMatchObject({ message: hostile, path: hostile, file: [hostile] });
});

test("a log for people has all control characters escaped, and only the cause of an error has several lines", () => {
  const fields = {
    path: hostile,
    file: `a\n${hostile}`,
    cause: `Error: ${hostile}\n12:00:00  200 GET /forged\n    at x`,
  };
  const line = formatForPeople({ level: "warn", message: "request", fields });
  expect(line.split(escaped)).toHaveLength(4);
  expect(line).toContain("file=a\\u000a");
  expect(line.split("\n").slice(1)).toEqual(["    12:00:00  200 GET /forged", "    at x"]);
  expect(formatForPeople({ level: "warn", message: hostile, fields: {} })).toContain(escaped);
});
