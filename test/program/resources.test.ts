import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { pages } from "../../dist/pages.ts";
import { LineReader, programCommand, programKey, RunningProgram } from "../support/program.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

/** Sends a request, or its beginning, without reading a response. */
function sendWithoutReading(url: URL, text: string): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.write(text);
  return socket;
}

async function readSome(file: number): Promise<string | undefined> {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString("latin1", 0, readSync(file, buffer));
  } catch {
    await Bun.sleep(1);
    return undefined;
  }
}

test("clients that request a large file without reading it share one copy of the file", async () => {
  using folder = temporaryFolder();
  const identity = join(folder.path, "large.js");
  const byteCount = 16_000_000;
  writeFileSync(identity, Buffer.alloc(byteCount, "/"));
  const file = { type: "text/javascript", identity, gzip: identity, br: identity };
  await using service = await startService({ pages: { ...pages, "/assets/large.js": file } });
  const { client } = service;
  const request = async () => {
    const socket = sendWithoutReading(client.url, "GET /assets/large.js HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => socket.once("readable", resolve));
    return socket;
  };
  const first = await request();
  const before = process.memoryUsage.rss();
  const readers = await Promise.all(Array.from({ length: 20 }, request));
  expect(process.memoryUsage.rss() - before).toBeLessThan(10 * byteCount);
  for (const reader of [first, ...readers]) reader.destroy();
  expect((await client.call("/healthz")).status).toBe(200);
});

test("beyond --max-connections, all requests other than health checks are refused until connections are closed", async () => {
  await using program = await RunningProgram.startNew({
    args: ["--max-connections", "10"],
  });
  const { url, key } = program.client;
  const unfinished = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n`;
  // The first call makes the client read the OpenAPI document, for which no connection is free later.
  expect((await program.client.call("/v1/pets")).status).toBe(200);
  const senders = Array.from({ length: 10 }, () => sendWithoutReading(url, unfinished));
  await until(async () => (await program.client.call("/v1/pets")).status === 503);
  const refused = await program.client.call("/v1/pets");
  expect(refused.json).toEqual({
    code: "ServiceUnavailable",
    message: "The service has too many requests in progress. Try again in a moment.",
    status: 503,
  });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await program.client.call("/")).status).toBe(503);
  for (const probe of ["/healthz", "/readyz"]) expect((await program.client.call(probe)).status).toBe(200);
  for (const sender of senders) sender.destroy();
  await until(async () => (await program.client.call("/v1/pets")).status === 200);
});

test("beyond --max-connections, idle connections are closed", async () => {
  await using program = await RunningProgram.startNew({
    args: ["--max-connections", "20"],
  });
  const idle = Array.from({ length: 60 }, () =>
    new RawConnection(program.client.url).send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  for (const received of await Promise.all(idle.map((connection) => connection.untilClosed()))) {
    expect(received).toStartWith("HTTP/1.1 200 ");
  }
  expect((await program.client.call("/v1/pets")).status).toBe(200);
});

test("when no more files can be opened, the log says so, with the number of open connections", async () => {
  using folder = temporaryFolder();
  const args = ["serve", "--port", "0", "--database", `sqlite:${join(folder.path, "animals.db")}`];
  const limit = 256;
  await using child = Bun.spawn(["sh", "-c", `ulimit -n ${limit} && exec "$@"`, "sh", ...programCommand, ...args], {
    env: { ...process.env, ANIMAL_STORE_API_KEY: programKey },
    stdout: "pipe",
    stderr: "pipe",
  });
  const greeting = await new LineReader(child.stdout).until(/is ready/);
  const url = new URL(/http:\S+(?=\/v1,)/.exec(greeting)?.[0] ?? "");
  using connections = new DisposableStack();
  // Exceeds the limit, because the kernel accepts some connections that the service cannot accept.
  for (let count = 0; count < limit + 50; count++) connections.use(new RawConnection(url));
  const lines = await new LineReader(child.stderr).until(/"open":/);
  const warning = JSON.parse(lines.trim().split("\n").at(-1) ?? "");
  expect(warning).toMatchObject({
    message: "the limit on open files (ulimit -n) is reached, and idle connections were closed",
    limit,
  });
  expect(warning.open).toBeWithin(limit / 2, limit);
});

test("a log without a reader takes bounded memory, and later reports how many lines were dropped", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "stderr");
  expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
  // The test holds both ends of the pipe, so that the program can write without a reader.
  const file = openSync(pipe, "r+");
  await using program = await RunningProgram.start(join(folder.path, "animals.db"), { stderr: file });
  const requestCount = 6_000;
  // Long lines fill the buffer faster.
  const headers = { "x-request-id": "x".repeat(128) };
  for (let sent = 0; sent < requestCount; sent += 50) {
    await Promise.all(Array.from({ length: 50 }, () => program.client.call("/v1/pets?limit=1", { headers })));
  }
  let text = "";
  while (!text.includes("were dropped")) text += (await readSome(file)) ?? "";
  const lines = text.split("\n");
  const notice = JSON.parse(lines.find((line) => line.includes("were dropped")) ?? "");
  expect(notice.level).toBe("warn");
  expect(notice.count).toBeGreaterThan(1000);
  expect(lines.filter((line) => line.includes('"operation":"listPets"')).length + notice.count).toBe(requestCount);
  closeSync(file);
});
