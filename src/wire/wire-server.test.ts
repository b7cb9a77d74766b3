import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as secureConnect } from "node:tls";
import { makeCertificate } from "../../test/support/certificates.ts";
import { testUnless, withoutCertificates } from "../../test/support/conditional-test.ts";
import { RawConnection } from "../../test/support/raw.ts";
import { temporaryFolder } from "../../test/support/temporary.ts";
import { pause, until } from "../../test/support/wait.ts";
import { BufferLimit, Buffers } from "./buffer-limit.ts";
import type { WireRequest, WireResponse } from "./message.ts";
import { type WireOptions, WireServer } from "./wire-server.ts";

/** Longer than any test may take, so that whatever waits for it fails. */
const forever = 3_600_000;
const unlimited = { idleMs: forever, headMs: forever, stalledMs: forever, lingerMs: forever };

function start(
  answer: (request: WireRequest) => Promise<WireResponse> | WireResponse,
  options: Partial<WireOptions> = {},
) {
  const server = new WireServer({ hostname: "127.0.0.1", port: 0, limits: unlimited, ...options }, answer);
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      await server.stop();
      server.terminate();
      await server.ended;
    },
  });
}

function makeTls() {
  using folder = temporaryFolder();
  const [certPath, keyPath] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
  makeCertificate("localhost", certPath, keyPath);
  return { cert: readFileSync(certPath, "utf8"), key: readFileSync(keyPath, "utf8") };
}

/** Until the server has read what has come to it. */
async function oneMoreRead(server: WireServer): Promise<void> {
  using other = new RawConnection(server.url);
  await other.send(get("/")).response();
}

const reply = (body: WireResponse["body"]): WireResponse => ({ status: 200, head: "", body, isLast: false });
const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
const last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

describe("requests that are sent early", () => {
  test("are answered one after the other, in their order, however long each takes", async () => {
    let atOnce = 0;
    await using server = start(async ({ target }) => {
      expect(++atOnce).toBe(1);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return reply(target);
    });
    using connection = new RawConnection(server.url);
    const text = await connection.send(`${get("/1")}${get("/2")}${get("/3")}${last}`).untilClosed();
    expect(text.match(/\/\w+$|\/\d(?=HTTP)/g)).toEqual(["/1", "/2", "/3", "/last"]);
  });

  test("are not received faster than they are answered, and others get their turn", async () => {
    let answers = 0;
    await using server = start(({ target }) => {
      if (target !== "/other") answers++;
      return reply(target);
    });
    const flood = connect(server.port, "127.0.0.1");
    flood.on("data", () => {});
    const requests = Buffer.from(get("/").repeat(10_000));
    const pump = () => {
      while (flood.write(requests));
      flood.once("drain", pump);
    };
    pump();
    const before = process.memoryUsage.rss();
    for (let count = 0; count < 50; count++) {
      using other = new RawConnection(server.url);
      expect((await other.send(get("/other")).response())?.text).toBe("/other");
    }
    await until(() => answers > 20_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
    flood.destroy();
  });
});

test("what is not a request any more leaves nothing of its body behind", async () => {
  await using server = start(() => reply("ok"));
  const bytes = 60_000;
  const request = `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${" ".repeat(bytes)}`;
  const connections = Array.from({ length: 100 }, () => new RawConnection(server.url));
  const held = () => {
    Bun.gc(true);
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  for (const connection of connections) expect((await connection.send(request).response())?.text).toBe("ok");
  expect(held() - before).toBeLessThan((connections.length * bytes) / 4);
  for (const connection of connections) connection[Symbol.dispose]();
});

test("the body of a request that no handler reads takes no more room than it has bytes", async () => {
  const { promise, resolve } = Promise.withResolvers<WireResponse>();
  const bodies: WireRequest["body"][] = [];
  await using server = start(({ body }) => {
    bodies.push(body);
    return promise;
  });
  const bytes = 15_000;
  // The first byte of the body arrives together with a long head.
  const request = `POST / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(bytes)}\r\nContent-Length: 2\r\n\r\nx`;
  const held = () => {
    Bun.gc(true);
    return process.memoryUsage().arrayBuffers;
  };
  const connections = Array.from({ length: 500 }, () => new RawConnection(server.url));
  const before = held();
  for (const connection of connections) connection.send(request);
  await until(() => bodies.length === connections.length);
  await until(() => bodies.every((body) => body.bytes === 1));
  expect(held() - before).toBeLessThan((connections.length * bytes) / 4);
  resolve(reply("ok"));
  for (const connection of connections) connection[Symbol.dispose]();
});

describe("a head that comes in pieces", () => {
  test("is read like one that comes at once, wherever it is cut", async () => {
    const targets: string[] = [];
    await using server = start(({ target, fault }) => {
      if (target !== "/") targets.push(fault?.message ?? target);
      return reply("ok");
    });
    const text =
      "\r\nGET /1 HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
    using connection = new RawConnection(server.url);
    for (let cut = 1; cut < text.length; cut++) {
      await connection.sent(text.slice(0, cut));
      await oneMoreRead(server);
      await connection.sent(text.slice(cut));
      await until(() => targets.length === 2);
      expect(targets.splice(0)).toEqual(["/1", "/2"]);
    }
    for (const byte of text) {
      await connection.sent(byte);
      await oneMoreRead(server);
    }
    await until(() => targets.length === 2);
    expect(targets).toEqual(["/1", "/2"]);
  });

  const headBytes = 1_000;
  const headOf = (bytes: number) => {
    const start = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: ";
    return start + "x".repeat(bytes - start.length);
  };

  test.each([1, 2, 3])(
    "may be as long as one that comes at once, also if its last %i bytes come later",
    async (late) => {
      await using server = start(({ fault }) => ({ ...reply("ok"), status: fault ? 431 : 200 }), {
        limits: { ...unlimited, headBytes },
      });
      for (const [bytes, status] of [
        [headBytes, 200],
        [headBytes + 1, 431],
      ] as const) {
        using connection = new RawConnection(server.url);
        const whole = `${headOf(bytes)}\r\n\r\n`;
        connection.send(whole.slice(0, -late));
        await oneMoreRead(server);
        connection.send(whole.slice(-late));
        expect((await connection.response())?.status).toBe(status);
      }
    },
  );

  test.each(["\n", "\r\n\n", "\n\n", "\nX-A: b"])(
    "is refused as soon as a line of it ends without CRLF: %j",
    async (end) => {
      await using server = start(({ fault }) => ({ ...reply(fault?.message ?? "ok"), status: fault ? 400 : 200 }));
      using connection = new RawConnection(server.url);
      const response = await connection.send(`GET / HTTP/1.1\r\nHost: x${end}`).response();
      expect(response?.status).toBe(400);
    },
  );
});

test("what is cut off behind another request is known at once, however it was sent", async () => {
  const cut = "POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc";
  await using server = start(async ({ target, body }) => {
    if (target === "/1") return reply("whole");
    const failure = await Promise.try(() => body.collect({ bytes: 100, chunks: 100 })).catch((error) => error);
    return reply(String(failure.reason));
  });
  using connection = new RawConnection(server.url);
  const text = await connection
    .send(get("/1") + cut)
    .end()
    .untilClosed();
  expect(text.match(/whole|incomplete/g)).toEqual(["whole", "incomplete"]);
});

test("a body that turns out malformed after its response ends the connection, and nothing behind it is a request", async () => {
  const targets: string[] = [];
  await using server = start(({ target }) => {
    targets.push(target);
    return reply("ok");
  });
  using connection = new RawConnection(server.url);
  connection.send("POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  await connection.response();
  connection.send("none\r\n");
  await oneMoreRead(server);
  connection.send(get("/2"));
  await oneMoreRead(server);
  connection.end();
  expect((await connection.untilClosed()).match(/HTTP/g)).toHaveLength(1);
  expect(targets).toEqual(["/1", "/", "/"]);
});

describe("a response that is over when its connection is", () => {
  const http10 = "GET / HTTP/1.0\r\n\r\n";
  const streaming = (end: (controller: ReadableStreamDefaultController) => unknown) =>
    start(() =>
      reply(
        new ReadableStream({
          start(controller) {
            controller.enqueue(Buffer.from("half"));
            return end(controller);
          },
        }),
      ),
    );
  const outcome = (port: number) => {
    const socket = connect(port, "127.0.0.1");
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on("error", ({ message }) => resolve(message)).on("end", () => resolve("end"));
    const begun = new Promise<void>((resolve) => socket.on("data", () => resolve()));
    socket.write(http10);
    return { begun, outcome: promise };
  };

  test("ends in the ordinary way if it is whole", async () => {
    await using server = streaming((controller) => controller.close());
    expect(await outcome(server.port).outcome).toBe("end");
  });

  test("is reset if it is not: its stream fails, or the server does not wait for it", async () => {
    await using failing = streaming(async (controller) => {
      await sent.begun;
      controller.error(new Error("away"));
    });
    const sent = outcome(failing.port);
    expect(await sent.outcome).toContain("ECONNRESET");
    await using endless = streaming(() => {});
    const left = outcome(endless.port);
    await left.begun;
    endless.terminate();
    expect(await left.outcome).toContain("ECONNRESET");
  });
});

describe("empty lines between requests", () => {
  /** Whether an idle connection ends, however long it could stay open by what is sent on it. */
  async function isClosed(first: string, sendMore: (connection: RawConnection, server: WireServer) => Promise<void>) {
    await using server = start(() => reply("ok"), { limits: { ...unlimited, idleMs: 1_000 } });
    using connection = new RawConnection(server.url);
    await connection.send(get("/")).response();
    let isOpen = true;
    void connection.untilClosed().then(() => {
      isOpen = false;
    });
    connection.send(first);
    // Ten times as long as it may be open.
    const guard = server.nowMs + 10_000;
    while (isOpen && server.nowMs < guard) await sendMore(connection, server);
    return !isOpen;
  }

  test("do not keep an idle connection open", async () => {
    const sendMore = async (connection: RawConnection) => {
      connection.send("\r\n");
      await pause();
    };
    expect(await isClosed("", sendMore)).toBe(true);
  });

  test("do not keep an idle connection open either if they come in halves", async () => {
    const sendMore = async (connection: RawConnection, server: WireServer) => {
      // Each half line is there before the server looks at its connections again.
      const { nowMs } = server;
      await until(() => server.nowMs !== nowMs);
      connection.send("\n");
      await oneMoreRead(server);
      connection.send("\r");
    };
    expect(await isClosed("\r", sendMore)).toBe(true);
  });

  test("do not shorten its time, also if they come in pieces", async () => {
    await using server = start(() => reply("ok"), { limits: { ...unlimited, headMs: 100 } });
    using connection = new RawConnection(server.url);
    await connection.send(get("/")).response();
    connection.send("\r");
    await oneMoreRead(server);
    connection.send("\n");
    await oneMoreRead(server);
    // Until the server has looked at its connections a few times.
    const { nowMs } = server;
    await until(() => server.nowMs > nowMs + 1_000);
    expect((await connection.send(last).untilClosed()).match(/HTTP/g)).toHaveLength(2);
  });
});

test("clients that send far more than they read, and then leave, leave nothing behind", async () => {
  await using server = start(() => reply("x".repeat(1_000)));
  const requests = Buffer.from(get("/").repeat(50_000));
  const clients = Array.from({ length: 60 }, () => connect(server.port, "127.0.0.1").pause());
  for (const client of clients) {
    client.on("error", () => {});
    client.write(requests);
  }
  // As many as are stuck, since each has a response that nobody takes.
  await until(() => server.pendingRequests === clients.length);
  for (const client of clients) client.destroy();
  await until(() => server.pendingRequests === 0);
  await server.stop();
  await server.ended;
});

describe("while many connections have far more pipelined requests than can be processed at once", () => {
  const [floodCount, pipelined] = [200, 1_000];
  /** The number of other requests that may be processed before a request that has just been sent: less than one for each connection. */
  const maxBefore = floodCount / 2;

  async function flooded(test: (flood: { answers: number; readonly server: WireServer }) => Promise<void>) {
    const flood = { answers: 0 };
    await using server = start(
      ({ target, peer }) => {
        if (target === "/flood") flood.answers++;
        peer.isTrusted = target === "/trusted";
        return reply(target === "/flood" ? "" : String(flood.answers));
      },
      { probeStarts: ["GET /probe"] },
    );
    const requests = Buffer.from(get("/flood").repeat(pipelined));
    const clients = Array.from({ length: floodCount }, () => connect(server.port, "127.0.0.1"));
    for (const client of clients)
      client
        .on("error", () => {})
        .on("data", () => {})
        .write(requests);
    await until(() => flood.answers > floodCount * 4);
    await test(Object.assign(flood, { server }));
    // Only then has each request competed with the flood.
    expect(flood.answers).toBeLessThan(floodCount * pipelined);
    for (const client of clients) client.destroy();
  }

  /** The number of other requests that are processed between the sending of one and its response. */
  async function before(flood: { readonly answers: number }, connection: RawConnection, target: string) {
    const sentAt = flood.answers;
    const response = await connection.send(get(target)).response();
    return Number(response?.text) - sentAt;
  }

  test("a trusted connection does not wait for a turn of each of them", async () => {
    await flooded(async (flood) => {
      using connection = new RawConnection(flood.server.url);
      await connection.send(get("/trusted")).response();
      connection.clear();
      expect(await before(flood, connection, "/trusted")).toBeLessThan(maxBefore);
    });
  });

  test.each(["/probe", "/fresh"])("the first request of a connection does not either: %s", async (target) => {
    await flooded(async (flood) => {
      using connection = new RawConnection(flood.server.url);
      await connection.connected;
      expect(await before(flood, connection, target)).toBeLessThan(maxBefore);
    });
  });
});

test("a client that sends the head of a request in many pieces is cut off, and one whose whole requests wait for their turn is not", async () => {
  await using server = start(({ target }) => reply(target), { limits: { ...unlimited, headMs: 500 } });
  let isFloodOpen = true;
  const flood = connect(server.port, "127.0.0.1")
    .on("error", () => {})
    .on("data", () => {})
    .on("close", () => {
      isFloodOpen = false;
    });
  const requests = Buffer.from(get("/").repeat(10_000));
  const pump = () => {
    while (flood.write(requests));
    flood.once("drain", pump);
  };
  pump();
  using slow = new RawConnection(server.url);
  let isOpen = true;
  const closed = slow.untilClosed().finally(() => {
    isOpen = false;
  });
  for (slow.send("GET / HTTP/1.1\r\nX-Slow: "); isOpen; slow.send("x")) await pause();
  expect(await closed).toBe("");
  // Until the server has looked at its connections a few times.
  const { nowMs } = server;
  await until(() => server.nowMs > nowMs + 1_000);
  expect(isFloodOpen).toBe(true);
  flood.destroy();
});

describe("input that waits to be processed", () => {
  const maxBytes = 1_000_000;
  const pipelined = get("/").repeat(5_000);
  const limited = () => new BufferLimit("input", maxBytes);

  test("is held up to a limit, beyond which those connections end that have not moved for the longest", async () => {
    const input = limited();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    await using server = start(
      async ({ target, peer }) => {
        peer.isTrusted = target === "/trusted";
        await isOver;
        return reply(target);
      },
      { buffers: new Buffers(input), limits: { ...unlimited, lingerMs: 100 } },
    );
    using trusted = new RawConnection(server.url);
    trusted.send(get("/trusted") + get("/trusted").repeat(1_000) + last);
    await until(() => input.bytes > 0);
    const others = Array.from({ length: 40 }, () => new RawConnection(server.url).send(pipelined));
    await until(() => input.droppedCount > others.length / 2);
    expect(input.bytes).toBeLessThanOrEqual(maxBytes);
    // They end with no response.
    await Promise.any(others.map((other) => other.untilClosed().then((text) => expect(text).toBe(""))));
    end();
    expect((await trusted.untilClosed()).match(/HTTP/g)).toHaveLength(1_002);
    for (const other of others) other[Symbol.dispose]();
    await until(() => input.bytes === 0);
  });

  test("does not cost a client its connection that has sent a part of one request, and goes on later", async () => {
    const input = limited();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    await using server = start(
      async ({ target }) => {
        if (target === "/") await isOver;
        return reply(target);
      },
      { buffers: new Buffers(input) },
    );
    using slow = new RawConnection(server.url);
    const request = get("/slow");
    await slow.sent(request.slice(0, 20));
    await until(() => input.bytes > 0);
    const others = Array.from({ length: 40 }, () => new RawConnection(server.url).send(pipelined));
    await until(() => input.droppedCount > others.length / 2);
    expect((await slow.send(request.slice(20)).response())?.text).toBe("/slow");
    end();
    for (const other of others) other[Symbol.dispose]();
  });

  test("counts parts of a head, and bodies that nobody has asked for", async () => {
    const input = limited();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    await using server = start(
      async () => {
        await isOver;
        return reply("ok");
      },
      { buffers: new Buffers(input) },
    );
    using head = new RawConnection(server.url);
    await head.send(`GET / HTTP/1.1\r\nX-Long: ${"x".repeat(5_000)}`).sent("");
    await until(() => input.bytes >= 5_000);
    const ofHead = input.bytes;
    using body = new RawConnection(server.url);
    body.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n${"x".repeat(20_000)}`);
    await until(() => input.bytes >= ofHead + 20_000);
    end();
    await until(() => input.bytes === ofHead);
  });
});

describe("responses that their clients do not read", () => {
  // More than the system takes of each.
  const [size, maxAtOnce, count] = [10_000_000, 5, 20];
  const limited = () => new BufferLimit("output", size * (maxAtOnce + 1) - 1);
  const ask = (server: WireServer, clients: number) =>
    Array.from({ length: clients }, () => {
      const options = { host: "127.0.0.1", port: server.port };
      const client = server.isSecure ? secureConnect({ ...options, rejectUnauthorized: false }) : connect(options);
      client.pause().on("error", () => {});
      client.write(get("/"));
      return client;
    });
  /** Whether all of a response came. */
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
    ["HTTPS", withoutCertificates()],
  ] as const) {
    testUnless(
      problem,
      `are held up to a limit, beyond which those go that were not read for the longest: ${protocol}`,
      async () => {
        const body = "x".repeat(size);
        let answers = 0;
        const tls = protocol === "HTTPS" ? makeTls() : undefined;
        const output = limited();
        await using server = start(() => reply(++answers ? body : ""), {
          tls,
          buffers: new Buffers(undefined, output),
        });
        const clients = ask(server, count);
        await until(() => answers === count);
        // Some would also end when the system gives them up, but only much later.
        const guard = server.nowMs + 5_000;
        await until(() => server.pendingRequests <= maxAtOnce || server.nowMs > guard);
        expect(server.pendingRequests).toBe(maxAtOnce);
        expect([output.droppedCount, output.bytes > size * (maxAtOnce - 1)]).toEqual([count - maxAtOnce, true]);
        const read = await Promise.all(clients.map((client) => readAll(client).catch(() => false)));
        expect(read.filter((isWhole) => isWhole)).toHaveLength(maxAtOnce);
        await until(() => server.pendingRequests === 0);
        expect(output.bytes).toBe(0);
      },
    );
  }

  test("are held up to the same limit if they are streams", async () => {
    const stream = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(Buffer.alloc(size)) });
    const output = limited();
    await using server = start(() => reply(stream()), { buffers: new Buffers(undefined, output) });
    const clients = ask(server, count);
    await until(() => output.droppedCount === count - maxAtOnce);
    await until(() => server.pendingRequests === maxAtOnce);
    for (const client of clients) client.destroy();
    await until(() => server.pendingRequests === 0);
    expect(output.bytes).toBe(0);
  });

  test("count no more once they were read, or their clients have left", async () => {
    const output = new BufferLimit("output");
    await using server = start(() => reply("x".repeat(size)), { buffers: new Buffers(undefined, output) });
    const [reader, leaver] = ask(server, 2);
    await until(() => output.bytes > size);
    leaver?.destroy();
    await until(() => server.pendingRequests === 1);
    expect(output.bytes).toBeWithin(size, size * 2);
    // Its connection stays open.
    reader?.resume();
    await until(() => server.pendingRequests === 0);
    expect(output.bytes).toBe(0);
    reader?.destroy();
  });

  test("are held without a limit if they are files, which they share", async () => {
    const body = Buffer.alloc(size);
    let answers = 0;
    await using server = start(() => reply(++answers ? body : ""), { buffers: new Buffers(undefined, limited()) });
    const clients = ask(server, count);
    await until(() => answers === count);
    const { nowMs } = server;
    await until(() => server.nowMs > nowMs + 500);
    expect(server.pendingRequests).toBe(count);
    for (const client of clients) client.destroy();
    await until(() => server.pendingRequests === 0);
  });
});

test("a client that was once slow to take a stream has all the time that there is for the rest of it", async () => {
  const large = new Uint8Array(20_000_000);
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  await using server = start(
    () =>
      reply(
        new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(large);
            await isOver;
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
  socket.write(last);
  await until(() => bytes >= large.length);
  // Until the server has looked at its connections a few times.
  const { nowMs } = server;
  await until(() => server.nowMs > nowMs + 1_500);
  end();
  await closed;
  expect(text).toContain("the end");
});

describe("a client that is slow", () => {
  test("to send its first request is cut off, and so is one that never agrees on TLS", async () => {
    await using plain = start(() => reply("ok"), { limits: { ...unlimited, headMs: 100 } });
    for (const sent of ["", "GET / HT"]) {
      using connection = new RawConnection(plain.url);
      expect(await connection.send(sent).untilClosed()).toBe("");
    }
  });

  testUnless(withoutCertificates(), "to agree on TLS is cut off too", async () => {
    await using secure = start(() => reply("ok"), { tls: makeTls(), limits: { ...unlimited, headMs: 100 } });
    for (const sent of ["", "\x16\x03\x01\x02", "GET / HTTP/1.1\r\n\r\n"]) {
      using connection = new RawConnection(secure.url);
      expect(await connection.send(sent).untilClosed()).not.toContain("HTTP");
    }
  });

  test.each([1_000_000, 20_000_000])("to stop sending gets its last response, with %i bytes to come", async (bytes) => {
    await using server = start(() => ({ ...reply("ok"), isLast: true }));
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.on("error", () => {});
    let isClosed = false;
    socket.on("close", () => {
      isClosed = true;
    });
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes - 1)}`);
    // Until the server has looked at its connections a few times.
    const { nowMs } = server;
    await until(() => server.nowMs > nowMs + 1_000);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.resume();
    await until(() => isClosed || text.endsWith("ok"));
    socket.destroy();
    expect(text).toEndWith("\r\n\r\nok");
  });

  test("to read its last response gets all of it", async () => {
    const body = "x".repeat(1_000_000);
    await using server = start(() => reply(body), { limits: { ...unlimited, lingerMs: 100 } });
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.write(last);
    const { nowMs } = server;
    await until(() => server.nowMs > nowMs + 1_500);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    await new Promise((resolve) => socket.on("close", resolve).resume());
    expect(text).toEndWith(body);
  });
});
