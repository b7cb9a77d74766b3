import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { connect as secureConnect } from "node:tls";
import { createCertificate } from "../../test/support/certificates.ts";
import { opensslSkipReason, testUnless } from "../../test/support/conditional-test.ts";
import { RawConnection } from "../../test/support/raw.ts";
import { pause, until } from "../../test/support/wait.ts";
import { nextTick } from "../base/tick.ts";
import { BufferLimit, Buffers } from "./buffer-limit.ts";
import type { RequestHandler } from "./connection.ts";
import type { WireRequest, WireResponse } from "./message.ts";
import { type WireOptions, WireServer } from "./wire-server.ts";

/** Longer than any test may take, so a test that waits for this timeout fails. */
const unreachableMs = 3_600_000;
const unlimited = { idleMs: unreachableMs, headMs: unreachableMs, stalledMs: unreachableMs, lingerMs: unreachableMs };

function startServer(handle: RequestHandler, options: Partial<WireOptions> = {}) {
  const server = new WireServer({ hostname: "127.0.0.1", port: 0, limits: unlimited, ...options }, handle);
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      await server.stop();
      server.terminate();
      await server.ended;
    },
  });
}

async function waitUntilInputIsRead(server: WireServer): Promise<void> {
  using other = new RawConnection(server.url);
  await other.send(formatGet("/")).response();
}

async function waitUntilClockAdvances(server: WireServer, milliseconds: number): Promise<void> {
  const { nowMs } = server;
  await until(() => server.nowMs > nowMs + milliseconds);
}

function measureArrayBufferBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().arrayBuffers;
}

function flood(server: WireServer): Socket {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {}).on("data", () => {});
  const requests = Buffer.from(formatGet("/").repeat(10_000));
  const pump = () => {
    while (socket.write(requests));
    socket.once("drain", pump);
  };
  pump();
  return socket;
}

const createResponse = (body: WireResponse["body"]): WireResponse => ({
  status: 200,
  head: "",
  body,
  shouldClose: false,
});
const formatGet = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
const lastRequest = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("pipelined requests are answered one at a time, in order, however long each takes", async () => {
  let concurrent = 0;
  await using server = startServer(async ({ target }) => {
    expect(++concurrent).toBe(1);
    for (let tick = 0; tick < 5; tick++) await nextTick();
    concurrent--;
    return createResponse(target);
  });
  using connection = new RawConnection(server.url);
  const text = await connection
    .send(`${formatGet("/1")}${formatGet("/2")}${formatGet("/3")}${lastRequest}`)
    .untilClosed();
  expect(text.match(/\/\w+$|\/\d(?=HTTP)/g)).toEqual(["/1", "/2", "/3", "/last"]);
});

test("pipelined requests are received no faster than they are answered, and other clients are served meanwhile", async () => {
  let responses = 0;
  await using server = startServer(({ target }) => {
    if (target !== "/other") responses++;
    return createResponse(target);
  });
  const client = flood(server);
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 50; count++) {
    using other = new RawConnection(server.url);
    expect((await other.send(formatGet("/other")).response())?.text).toBe("/other");
  }
  await until(() => responses > 20_000);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  client.destroy();
});

test("a finished request leaves nothing of its body in memory", async () => {
  await using server = startServer(() => createResponse("ok"));
  const bytes = 60_000;
  const request = `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${" ".repeat(bytes)}`;
  const connections = Array.from({ length: 100 }, () => new RawConnection(server.url));
  const before = measureArrayBufferBytes();
  for (const connection of connections) expect((await connection.send(request).response())?.text).toBe("ok");
  expect(measureArrayBufferBytes() - before).toBeLessThan((connections.length * bytes) / 4);
  for (const connection of connections) connection[Symbol.dispose]();
});

test("an unread body keeps only its own bytes in memory, not those of the head", async () => {
  const { promise, resolve } = Promise.withResolvers<WireResponse>();
  const bodies: WireRequest["body"][] = [];
  await using server = startServer(({ body }) => {
    bodies.push(body);
    return promise;
  });
  const bytes = 15_000;
  // The first byte of the body arrives together with a long head.
  const request = `POST / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(bytes)}\r\nContent-Length: 2\r\n\r\nx`;
  const connections = Array.from({ length: 500 }, () => new RawConnection(server.url));
  const before = measureArrayBufferBytes();
  for (const connection of connections) connection.send(request);
  await until(() => bodies.length === connections.length);
  await until(() => bodies.every((body) => body.receivedBytes === 1));
  expect(measureArrayBufferBytes() - before).toBeLessThan((connections.length * bytes) / 4);
  resolve(createResponse("ok"));
  for (const connection of connections) connection[Symbol.dispose]();
});

test("a head is read correctly wherever it is split", async () => {
  const targets: string[] = [];
  await using server = startServer(({ target, fault }) => {
    if (target !== "/") targets.push(fault?.message ?? target);
    return createResponse("ok");
  });
  const text =
    "\r\nGET /1 HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
  using connection = new RawConnection(server.url);
  for (let cut = 1; cut < text.length; cut++) {
    await connection.sendAll(text.slice(0, cut));
    await waitUntilInputIsRead(server);
    await connection.sendAll(text.slice(cut));
    await until(() => targets.length === 2);
    expect(targets.splice(0)).toEqual(["/1", "/2"]);
  }
  for (const byte of text) {
    await connection.sendAll(byte);
    await waitUntilInputIsRead(server);
  }
  await until(() => targets.length === 2);
  expect(targets).toEqual(["/1", "/2"]);
});

const maxHeadBytes = 1_000;
const createHead = (bytes: number) => {
  const start = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: ";
  return start + "x".repeat(bytes - start.length);
};

test.each([1, 2, 3])("the size limit of a head applies even if its last %i bytes arrive later", async (late) => {
  await using server = startServer(({ fault }) => ({ ...createResponse("ok"), status: fault ? 431 : 200 }), {
    limits: { ...unlimited, maxHeadBytes },
  });
  for (const [bytes, status] of [
    [maxHeadBytes, 200],
    [maxHeadBytes + 1, 431],
  ] as const) {
    using connection = new RawConnection(server.url);
    const whole = `${createHead(bytes)}\r\n\r\n`;
    connection.send(whole.slice(0, -late));
    await waitUntilInputIsRead(server);
    connection.send(whole.slice(-late));
    expect((await connection.response())?.status).toBe(status);
  }
});

test.each(["\n", "\r\n\n", "\n\n", "\nX-A: b"])(
  "a head is rejected as soon as one of its lines ends without CRLF: %j",
  async (end) => {
    await using server = startServer(({ fault }) => ({
      ...createResponse(fault?.message ?? "ok"),
      status: fault ? 400 : 200,
    }));
    using connection = new RawConnection(server.url);
    const response = await connection.send(`GET / HTTP/1.1\r\nHost: x${end}`).response();
    expect(response?.status).toBe(400);
  },
);

test("an incomplete pipelined request fails once its client half-closes the connection", async () => {
  const cut = "POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc";
  await using server = startServer(async ({ target, body }) => {
    if (target === "/1") return createResponse("whole");
    const failure = await Promise.try(() => body.collect({ maxBytes: 100, maxChunks: 100 })).catch((error) => error);
    return createResponse(String(failure.reason));
  });
  using connection = new RawConnection(server.url);
  const text = await connection
    .send(formatGet("/1") + cut)
    .end()
    .untilClosed();
  expect(text.match(/whole|incomplete/g)).toEqual(["whole", "incomplete"]);
});

test("a body that is found malformed after its response closes the connection, and nothing after it is read as a request", async () => {
  const targets: string[] = [];
  await using server = startServer(({ target }) => {
    targets.push(target);
    return createResponse("ok");
  });
  using connection = new RawConnection(server.url);
  connection.send("POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  await connection.response();
  connection.send("none\r\n");
  await waitUntilInputIsRead(server);
  connection.send(formatGet("/2"));
  await waitUntilInputIsRead(server);
  connection.end();
  expect((await connection.untilClosed()).match(/HTTP/g)).toHaveLength(1);
  expect(targets).toEqual(["/1", "/", "/"]);
});

const http10 = "GET / HTTP/1.0\r\n\r\n";
const startStreaming = (end: (controller: ReadableStreamDefaultController) => unknown) =>
  startServer(() =>
    createResponse(
      new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from("half"));
          return end(controller);
        },
      }),
    ),
  );
const sendHttp10 = (port: number) => {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on("error", ({ message }) => resolve(message)).on("end", () => resolve("end"));
  const begun = new Promise<void>((resolve) => socket.on("data", () => resolve()));
  socket.write(http10);
  return { begun, outcome: promise };
};

test("a complete response of HTTP/1.0 ends with an orderly close", async () => {
  await using server = startStreaming((controller) => controller.close());
  expect(await sendHttp10(server.port).outcome).toBe("end");
});

test("an incomplete response of HTTP/1.0 ends with a reset, whether its stream fails or the server is terminated", async () => {
  await using failing = startStreaming(async (controller) => {
    await sent.begun;
    controller.error(new Error("away"));
  });
  const sent = sendHttp10(failing.port);
  expect(await sent.outcome).toContain("ECONNRESET");
  await using endless = startStreaming(() => {});
  const cutOff = sendHttp10(endless.port);
  await cutOff.begun;
  endless.terminate();
  expect(await cutOff.outcome).toContain("ECONNRESET");
});

async function isTimedOut(first: string, sendMore: (connection: RawConnection, server: WireServer) => Promise<void>) {
  await using server = startServer(() => createResponse("ok"), { limits: { ...unlimited, idleMs: 1_000 } });
  using connection = new RawConnection(server.url);
  await connection.send(formatGet("/")).response();
  let isOpen = true;
  void connection.untilClosed().then(() => {
    isOpen = false;
  });
  connection.send(first);
  // Ten times the idle timeout.
  const deadlineMs = server.nowMs + 10_000;
  while (isOpen && server.nowMs < deadlineMs) await sendMore(connection, server);
  return !isOpen;
}

test("empty lines do not keep an idle connection open", async () => {
  const sendMore = async (connection: RawConnection) => {
    connection.send("\r\n");
    await pause();
  };
  expect(await isTimedOut("", sendMore)).toBe(true);
});

test("empty lines that arrive in halves do not keep an idle connection open", async () => {
  const sendMore = async (connection: RawConnection, server: WireServer) => {
    // Each half line arrives before the timeouts are checked again.
    await waitUntilClockAdvances(server, 0);
    connection.send("\n");
    await waitUntilInputIsRead(server);
    connection.send("\r");
  };
  expect(await isTimedOut("\r", sendMore)).toBe(true);
});

test("an empty line in two pieces does not start the head timeout", async () => {
  await using server = startServer(() => createResponse("ok"), { limits: { ...unlimited, headMs: 100 } });
  using connection = new RawConnection(server.url);
  await connection.send(formatGet("/")).response();
  connection.send("\r");
  await waitUntilInputIsRead(server);
  connection.send("\n");
  await waitUntilInputIsRead(server);
  await waitUntilClockAdvances(server, 1_000);
  expect((await connection.send(lastRequest).untilClosed()).match(/HTTP/g)).toHaveLength(2);
});

test("clients that send far more than they read, and then disconnect, leave no pending requests", async () => {
  await using server = startServer(() => createResponse("x".repeat(1_000)));
  const requests = Buffer.from(formatGet("/").repeat(50_000));
  const clients = Array.from({ length: 60 }, () => connect(server.port, "127.0.0.1").pause());
  for (const client of clients) {
    client.on("error", () => {});
    client.write(requests);
  }
  // Each client has one pending request, whose response the client does not read.
  await until(() => server.pendingRequests === clients.length);
  for (const client of clients) client.destroy();
  await until(() => server.pendingRequests === 0);
  await server.stop();
  await server.ended;
});

describe("while many connections have far more pipelined requests than can be processed at once", () => {
  const [floodCount, pipelined] = [200, 1_000];
  /** Maximum number of other requests processed before a new one: fewer than one per connection of the flood. */
  const maxBefore = floodCount / 2;

  async function runDuringFlood(test: (flood: { responses: number; readonly server: WireServer }) => Promise<void>) {
    const flood = { responses: 0 };
    await using server = startServer(
      ({ target, peer }) => {
        if (target === "/flood") flood.responses++;
        peer.isTrusted = target === "/trusted";
        return createResponse(target === "/flood" ? "" : String(flood.responses));
      },
      { probeStarts: ["GET /probe"] },
    );
    const requests = Buffer.from(formatGet("/flood").repeat(pipelined));
    const clients = Array.from({ length: floodCount }, () => connect(server.port, "127.0.0.1"));
    for (const client of clients)
      client
        .on("error", () => {})
        .on("data", () => {})
        .write(requests);
    await until(() => flood.responses > floodCount * 4);
    await test(Object.assign(flood, { server }));
    // If the whole flood were processed, the request would not have competed with the flood.
    expect(flood.responses).toBeLessThan(floodCount * pipelined);
    for (const client of clients) client.destroy();
  }

  async function countBefore(flood: { readonly responses: number }, connection: RawConnection, target: string) {
    const sentAt = flood.responses;
    const response = await connection.send(formatGet(target)).response();
    return Number(response?.text) - sentAt;
  }

  test("a trusted connection does not wait for each connection of a flood", async () => {
    await runDuringFlood(async (flood) => {
      using connection = new RawConnection(flood.server.url);
      await connection.send(formatGet("/trusted")).response();
      connection.clear();
      expect(await countBefore(flood, connection, "/trusted")).toBeLessThan(maxBefore);
    });
  });

  test.each(["/probe", "/fresh"])(
    "the first request of a connection does not wait for each connection of a flood: %s",
    async (target) => {
      await runDuringFlood(async (flood) => {
        using connection = new RawConnection(flood.server.url);
        await connection.connected;
        expect(await countBefore(flood, connection, target)).toBeLessThan(maxBefore);
      });
    },
  );
});

test("the head timeout closes a connection that sends a head in many pieces, but not one whose complete requests are queued", async () => {
  await using server = startServer(({ target }) => createResponse(target), { limits: { ...unlimited, headMs: 500 } });
  let isFloodOpen = true;
  const client = flood(server).on("close", () => {
    isFloodOpen = false;
  });
  using slow = new RawConnection(server.url);
  let isOpen = true;
  const closed = slow.untilClosed().finally(() => {
    isOpen = false;
  });
  for (slow.send("GET / HTTP/1.1\r\nX-Slow: "); isOpen; slow.send("x")) await pause();
  expect(await closed).toBe("");
  await waitUntilClockAdvances(server, 1_000);
  expect(isFloodOpen).toBe(true);
  client.destroy();
});

describe("input that waits to be processed", () => {
  const maxBytes = 1_000_000;
  const pipelined = formatGet("/").repeat(5_000);
  const createLimit = () => new BufferLimit("input", maxBytes);

  test("beyond the limit on buffered input, the connections whose input has not changed for the longest time are closed", async () => {
    const input = createLimit();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using server = startServer(
      async ({ target, peer }) => {
        peer.isTrusted = target === "/trusted";
        await released;
        return createResponse(target);
      },
      { buffers: new Buffers(input), limits: { ...unlimited, lingerMs: 100 } },
    );
    using trusted = new RawConnection(server.url);
    trusted.send(formatGet("/trusted") + formatGet("/trusted").repeat(1_000) + lastRequest);
    await until(() => input.bytes > 0);
    const others = Array.from({ length: 40 }, () => new RawConnection(server.url).send(pipelined));
    await until(() => input.droppedCount > others.length / 2);
    expect(input.bytes).toBeLessThanOrEqual(maxBytes);
    // Closed connections get no response.
    await Promise.any(others.map((other) => other.untilClosed().then((text) => expect(text).toBe(""))));
    release();
    expect((await trusted.untilClosed()).match(/HTTP/g)).toHaveLength(1_002);
    for (const other of others) other[Symbol.dispose]();
    await until(() => input.bytes === 0);
  });

  test("beyond the limit on buffered input, a client that has sent part of one request keeps its connection", async () => {
    const input = createLimit();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using server = startServer(
      async ({ target }) => {
        if (target === "/") await released;
        return createResponse(target);
      },
      { buffers: new Buffers(input) },
    );
    using slow = new RawConnection(server.url);
    const request = formatGet("/slow");
    await slow.sendAll(request.slice(0, 20));
    await until(() => input.bytes > 0);
    const others = Array.from({ length: 40 }, () => new RawConnection(server.url).send(pipelined));
    await until(() => input.droppedCount > others.length / 2);
    expect((await slow.send(request.slice(20)).response())?.text).toBe("/slow");
    release();
    for (const other of others) other[Symbol.dispose]();
  });

  test("buffered input includes incomplete heads and unread bodies", async () => {
    const input = createLimit();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using server = startServer(
      async () => {
        await released;
        return createResponse("ok");
      },
      { buffers: new Buffers(input) },
    );
    using head = new RawConnection(server.url);
    await head.send(`GET / HTTP/1.1\r\nX-Long: ${"x".repeat(5_000)}`).sendAll("");
    await until(() => input.bytes >= 5_000);
    const headInputBytes = input.bytes;
    using body = new RawConnection(server.url);
    body.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n${"x".repeat(20_000)}`);
    await until(() => input.bytes >= headInputBytes + 20_000);
    release();
    await until(() => input.bytes === headInputBytes);
  });
});

describe("unread responses", () => {
  // Larger than the part of a response that the kernel buffers, so each response counts as unread.
  const [size, maxUnread, count] = [10_000_000, 5, 20];
  const createLimit = () => new BufferLimit("output", size * (maxUnread + 1) - 1);
  const sendRequests = (server: WireServer, clients: number) =>
    Array.from({ length: clients }, () => {
      const options = { host: "127.0.0.1", port: server.port };
      const client = server.isSecure ? secureConnect({ ...options, rejectUnauthorized: false }) : connect(options);
      client.pause().on("error", () => {});
      client.write(formatGet("/"));
      return client;
    });
  const readAll = async (client: Socket) => {
    let bytes = 0;
    for await (const data of client) {
      bytes += data.length;
      if (bytes > size) return true;
    }
    return false;
  };

  for (const [protocol, problem] of [
    ["HTTP", undefined],
    ["HTTPS", opensslSkipReason()],
  ] as const) {
    testUnless(
      problem,
      `beyond the limit on unread responses, the clients that have read nothing for the longest time are dropped: ${protocol}`,
      async () => {
        const body = "x".repeat(size);
        let responses = 0;
        const tls = protocol === "HTTPS" ? createCertificate("localhost") : undefined;
        const output = createLimit();
        await using server = startServer(() => createResponse(++responses ? body : ""), {
          tls,
          buffers: new Buffers(undefined, output),
        });
        const clients = sendRequests(server, count);
        await until(() => responses === count);
        // The deadline is short, because much later the kernel would also drop some of the clients.
        const deadlineMs = server.nowMs + 5_000;
        await until(() => server.pendingRequests <= maxUnread || server.nowMs > deadlineMs);
        expect(server.pendingRequests).toBe(maxUnread);
        expect([output.droppedCount, output.bytes > size * (maxUnread - 1)]).toEqual([count - maxUnread, true]);
        const read = await Promise.all(clients.map((client) => readAll(client).catch(() => false)));
        expect(read.filter((isWhole) => isWhole)).toHaveLength(maxUnread);
        await until(() => server.pendingRequests === 0);
        expect(output.bytes).toBe(0);
      },
    );
  }

  test("the limit on unread responses includes streams", async () => {
    const stream = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(Buffer.alloc(size)) });
    const output = createLimit();
    await using server = startServer(() => createResponse(stream()), { buffers: new Buffers(undefined, output) });
    const clients = sendRequests(server, count);
    await until(() => output.droppedCount === count - maxUnread);
    await until(() => server.pendingRequests === maxUnread);
    for (const client of clients) client.destroy();
    await until(() => server.pendingRequests === 0);
    expect(output.bytes).toBe(0);
  });

  test("a response that was read, or whose client has disconnected, no longer counts as unread", async () => {
    const output = new BufferLimit("output");
    await using server = startServer(() => createResponse("x".repeat(size)), {
      buffers: new Buffers(undefined, output),
    });
    const [reader, leaver] = sendRequests(server, 2);
    await until(() => output.bytes > size);
    leaver?.destroy();
    await until(() => server.pendingRequests === 1);
    expect(output.bytes).toBeWithin(size, size * 2);
    reader?.resume();
    await until(() => server.pendingRequests === 0);
    expect(output.bytes).toBe(0);
    reader?.destroy();
  });

  test("files do not count as unread responses, because responses share them", async () => {
    const body = Buffer.alloc(size);
    let responses = 0;
    await using server = startServer(() => createResponse(++responses ? body : ""), {
      buffers: new Buffers(undefined, createLimit()),
    });
    const clients = sendRequests(server, count);
    await until(() => responses === count);
    await waitUntilClockAdvances(server, 500);
    expect(server.pendingRequests).toBe(count);
    for (const client of clients) client.destroy();
    await until(() => server.pendingRequests === 0);
  });
});

test("a client that was slow to read part of a stream has no deadline while it waits for the rest", async () => {
  const large = new Uint8Array(20_000_000);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = startServer(
    () =>
      createResponse(
        new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(large);
            await released;
            controller.enqueue(Buffer.from("the end"));
            controller.close();
          },
        }),
      ),
    { limits: { ...unlimited, idleMs: 400 } },
  );
  const socket = connect(server.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("close", resolve));
  let bytes = 0;
  let text = "";
  socket.on("data", (data) => {
    bytes += data.length;
    text = (text + data.toString("latin1")).slice(-100);
  });
  socket.write(lastRequest);
  await until(() => bytes >= large.length);
  await waitUntilClockAdvances(server, 1_500);
  release();
  await closed;
  expect(text).toContain("the end");
});

test("a client that is slow to send its first request is disconnected", async () => {
  await using plain = startServer(() => createResponse("ok"), { limits: { ...unlimited, headMs: 100 } });
  for (const sent of ["", "GET / HT"]) {
    using connection = new RawConnection(plain.url);
    expect(await connection.send(sent).untilClosed()).toBe("");
  }
});

testUnless(opensslSkipReason(), "a client that is slow to complete the TLS handshake is disconnected", async () => {
  await using secure = startServer(() => createResponse("ok"), {
    tls: createCertificate("localhost"),
    limits: { ...unlimited, headMs: 100 },
  });
  for (const sent of ["", "\x16\x03\x01\x02", "GET / HTTP/1.1\r\n\r\n"]) {
    using connection = new RawConnection(secure.url);
    expect(await connection.send(sent).untilClosed()).not.toContain("HTTP");
  }
});

test.each([1_000_000, 20_000_000])("a client that is still sending %i bytes gets its last response", async (bytes) => {
  await using server = startServer(() => ({ ...createResponse("ok"), shouldClose: true }));
  const socket = connect(server.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes - 1)}`);
  await waitUntilClockAdvances(server, 1_000);
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  socket.resume();
  await until(() => isClosed || text.endsWith("ok"));
  socket.destroy();
  expect(text).toEndWith("\r\n\r\nok");
});

test("a client that is slow to read its last response gets all of it", async () => {
  const body = "x".repeat(1_000_000);
  await using server = startServer(() => createResponse(body), { limits: { ...unlimited, lingerMs: 100 } });
  const socket = connect(server.port, "127.0.0.1").pause();
  socket.write(lastRequest);
  await waitUntilClockAdvances(server, 1_500);
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  await new Promise((resolve) => socket.on("close", resolve).resume());
  expect(text).toEndWith(body);
});
