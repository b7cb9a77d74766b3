import { expect, test } from "bun:test";
import { LineReader, RunningProgram } from "../support/program.ts";
import { RawConnection } from "../support/raw.ts";
import { until } from "../support/wait.ts";

test("refused requests without a valid key share a log line per address and second, and every other request has its own line", async () => {
  await using program = await RunningProgram.startNew();
  const { client } = program;
  const log = new LineReader(program.child.stderr);
  const count = 300;
  using pipelining = new RawConnection(client.url);
  const last = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  await pipelining.send("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count - 1) + last).untilClosed();
  for (const request of [
    "not a request\r\n\r\n",
    "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n",
  ]) {
    using connection = new RawConnection(client.url);
    await connection.send(request).untilClosed();
  }
  expect((await client.call("/v1/pets?limit=none")).status).toBe(400);
  expect((await client.call("/v1/pets")).status).toBe(200);
  const lines = (await log.until(/more requests were refused/)).trim().split("\n");
  let counted = countRequestsIn(lines);
  while (counted < count + 2) {
    const furtherLines = await log.until(/"message":"(request|more requests were refused)"/);
    lines.push(furtherLines.trim());
    counted = countRequestsIn(lines);
  }
  expect(counted).toBe(count + 2);
  const entries = lines.map((line) => JSON.parse(line));
  const refused = entries.find(({ message }) => message === "more requests were refused");
  expect(refused).toMatchObject({ level: "info", client: "127.0.0.1" });
  // The service logs two lines for each second with refused requests.
  expect(lines.length).toBeLessThan(count / 10);
  const ownStatuses = entries.filter(({ key }) => key === "environment").map(({ status }) => status);
  expect(ownStatuses).toEqual([400, 200]);
});

test("anonymous requests that a full service refuses also share a log line", async () => {
  const args = ["--max-connections", "10"];
  await using program = await RunningProgram.startNew({ args });
  const { client } = program;
  const log = new LineReader(program.child.stderr);
  const [waiting, count] = [7, 100];
  const polls = Array.from({ length: waiting }, () =>
    client.call("/v1/events?cursor=latest", { headers: { Prefer: "wait=30" } }),
  );
  await until(async () => (await client.call("/v1/openapi.json")).status === 503);
  for (let sent = 0; sent < count; sent++) {
    using connection = new RawConnection(client.url);
    await connection.send("GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n").untilClosed();
  }
  await client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await Promise.all(polls);
  const lines: string[] = [];
  while (countRequestsIn(lines) < count) lines.push((await log.until(/"message":"/)).trim());
  expect(lines.length).toBeLessThan(count / 2);
});

function countRequestsIn(lines: readonly string[]): number {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ key }) => key === undefined)
    .reduce((sum, { message, count }) => sum + (message === "request" ? 1 : (count ?? 0)), 0);
}
