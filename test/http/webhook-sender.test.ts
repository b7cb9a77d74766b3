import { expect, test } from "bun:test";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { AddressGuard } from "../../src/webhooks/address-guard.ts";
import { Sender, type SenderParts } from "../../src/webhooks/sender.ts";
import { createCertificate } from "../support/certificates.ts";
import {
  linuxSkipReason,
  networkNamespaceCommand,
  networkNamespaceSkipReason,
  opensslSkipReason,
  testUnless,
} from "../support/conditional-test.ts";
import { Receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";

const secrets = [`whsec_${Buffer.alloc(32, 3).toString("base64")}`];
const event = { id: "evt_1", body: '{"id":"evt_1"}' };
const longMs = 600_000;

function createSender(parts: Partial<SenderParts> = {}): Sender {
  return new Sender({
    guard: new AddressGuard(["127.0.0.0/8"]),
    clock: Date.now,
    stopwatch: Date.now,
    ...parts,
  });
}

test("a host name is resolved once, and the delivery attempt connects to that address", async () => {
  await using receiver = await Receiver.start();
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const resolved: string[] = [];
  const resolve = async (host: string) => {
    resolved.push(host);
    return answers.shift() ?? [];
  };
  const url = `http://hooks.example:${receiver.port}/hooks`;
  expect(await createSender({ resolve }).send(url, secrets, event, longMs)).toMatchObject({ isDelivered: true });
  expect(resolved).toEqual(["hooks.example"]);
  expect(receiver.received[0]?.headers).toMatchObject({ host: `hooks.example:${receiver.port}` });
});

testUnless(
  linuxSkipReason("a second address of the machine itself"),
  "each delivery attempt opens a new connection, even if one to an earlier address is open",
  async () => {
    await using one = await Receiver.start();
    await using other = await Receiver.start(() => 204, { host: "127.0.0.2", port: one.port });
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const sender = createSender({ resolve: async () => answers.shift() ?? [] });
    const url = `http://hooks.example:${one.port}/hooks`;
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await sender.send(url, secrets, event, longMs)).toMatchObject({ isDelivered: true });
    }
    expect([one.received.length, other.received.length]).toEqual([1, 1]);
  },
);

test("a delivery attempt connects to an IPv4 address if the host name has one", async () => {
  await using receiver = await Receiver.start();
  const guard = new AddressGuard(["127.0.0.0/8", "::1/128"]);
  const url = `http://hooks.example:${receiver.port}/hooks`;
  for (const addresses of [
    ["::1", "127.0.0.1"],
    ["127.0.0.1", "::1"],
  ]) {
    const sender = createSender({ guard, resolve: async () => addresses });
    expect(await sender.send(url, secrets, event, longMs)).toMatchObject({ isDelivered: true });
  }
});

test("a host name is refused if any of its addresses is not allowed, without another look-up", async () => {
  await using receiver = await Receiver.start();
  const answers = [["127.0.0.1", "10.0.0.1"], ["127.0.0.1"]];
  const resolve = async () => answers.shift() ?? [];
  const url = `http://hooks.example:${receiver.port}/hooks`;
  expect(await createSender({ resolve }).send(url, secrets, event, longMs)).toMatchObject({
    isDelivered: false,
    status: null,
    error: "hooks.example has the address 10.0.0.1, to which webhooks are not sent.",
  });
  expect([answers.length, receiver.received.length]).toEqual([1, 0]);
});

test.each(["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"])(
  "the host %s is refused unless the operator has allowed its network",
  async (host) => {
    await using receiver = await Receiver.start();
    const sender = createSender({ guard: new AddressGuard([]) });
    for (const scheme of ["http", "https"]) {
      const outcome = await sender.send(`${scheme}://${host}:${receiver.port}/`, secrets, event, longMs);
      expect(outcome).toMatchObject({ isDelivered: false, status: null });
      expect(outcome.error).toContain("to which webhooks are not sent");
    }
    expect(receiver.received).toEqual([]);
  },
);

test("a receiver with a public address needs HTTPS", async () => {
  const resolve = async () => ["8.8.8.8"];
  const outcome = await createSender({ resolve }).send("http://hooks.example/", secrets, event, longMs);
  expect(outcome.error).toBe("hooks.example must be reached over HTTPS.");
});

test("delivery fails if the host name has no address", async () => {
  const none = await createSender({ resolve: async () => [] }).send("https://hooks.example/", secrets, event, longMs);
  expect(none.error).toBe("hooks.example has no address.");
  const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  const unknown = await createSender({ resolve }).send("https://hooks.example/", secrets, event, longMs);
  expect(unknown.error).toBe("The host of the receiver has no address.");
});

testUnless(
  networkNamespaceSkipReason(),
  "a host name is resolved even while the name servers of many other hosts do not respond",
  async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "resolv.conf"), "");
    const program = join(import.meta.dir, "../support/silent-names.ts");
    const child = Bun.spawn([...networkNamespaceCommand, process.execPath, program], {
      cwd: folder.path,
      env: process.env,
      stderr: "inherit",
    });
    expect(await child.stdout.json()).toEqual({ areDelivered: [true, true, true], abandonedCount: 0 });
  },
);

testUnless(
  opensslSkipReason(),
  "a receiver is reached over TLS only with a trusted certificate for the host name",
  async () => {
    const tls = createCertificate("hooks.example", "DNS:hooks.example");
    await using receiver = await Receiver.start(() => 204, { tls });
    const resolve = async () => ["127.0.0.1"];
    const send = (host: string, ca?: string) =>
      createSender({ resolve, ca }).send(`https://${host}:${receiver.port}/`, secrets, event, longMs);
    expect(await send("hooks.example", tls.cert)).toMatchObject({ isDelivered: true, error: null });
    for (const untrusted of [
      () => send("other.example", tls.cert),
      () => send("hooks.example"),
      () => send("127.0.0.1", tls.cert),
    ]) {
      const outcome = await untrusted();
      expect(outcome).toMatchObject({ isDelivered: false, status: null });
      expect(outcome.error).toMatch(/certificate|altnames/i);
    }
    expect(receiver.received).toHaveLength(1);
  },
);

test.each([200, 201, 204, 299])("a response of %i is a success", async (status) => {
  await using receiver = await Receiver.start(() => status);
  const outcome = await createSender().send(receiver.url, secrets, event, longMs);
  expect(outcome).toMatchObject({ isDelivered: true, isGone: false, status, error: null });
});

test.each([400, 401, 404, 410, 429, 500, 503])("a response of %i is a failure", async (status) => {
  await using receiver = await Receiver.start(() => status);
  expect(await createSender().send(receiver.url, secrets, event, longMs)).toMatchObject({
    isDelivered: false,
    isGone: status === 410,
    status,
    error: `The receiver answered with ${status}.`,
  });
});

test.each([
  ["120", 120_000],
  ["Fri, 01 Jan 2027 02:00:00 GMT", 7_200_000],
  ["Thu, 31 Dec 2026 23:59:59 GMT", 0],
  ["tomorrow", 0],
])("a response can request a pause with Retry-After: %s", async (retryAfter, retryAfterMs) => {
  await using receiver = await Receiver.start(() => ({ status: 503, headers: { "retry-after": retryAfter } }));
  const sender = createSender({ clock: () => Date.UTC(2027, 0, 1) });
  expect(await sender.send(receiver.url, secrets, event, longMs)).toMatchObject({ isDelivered: false, retryAfterMs });
});

test.each([301, 302, 307, 308])("a response of %i is a failure, and the redirect is not followed", async (status) => {
  await using elsewhere = await Receiver.start();
  await using receiver = await Receiver.start(() => ({ status, headers: { location: elsewhere.url } }));
  expect(await createSender().send(receiver.url, secrets, event, longMs)).toMatchObject({
    isDelivered: false,
    status,
    error: `The receiver answered with ${status}, a redirect, which is not followed.`,
  });
  expect(elsewhere.received).toEqual([]);
});

test("an endless response ends the delivery attempt soon, and is read only in part", async () => {
  let sentBytes = 0;
  const closed = Promise.withResolvers<void>();
  await using server = await startRawServer((socket) => {
    socket.on("close", () => closed.resolve());
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
      const more = () => {
        if (!socket.destroyed) socket.write("x".repeat(1_000), () => setImmediate(more));
        sentBytes += 1_000;
      };
      more();
    });
  });
  const outcome = await createSender().send(server.url, secrets, event, longMs);
  expect(outcome).toMatchObject({ isDelivered: true, status: 200 });
  await closed.promise;
  expect(sentBytes).toBeGreaterThan(4_000);
});

test.each([
  ["interim responses", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["empty lines before a response", "\r\n".repeat(10)],
])("endless %s end a delivery attempt", async (_, text) => {
  const sent = text.repeat(1_000);
  await using server = await startRawServer((socket) => {
    const more = (error?: Error | null) => error || socket.write(sent, more);
    socket.once("data", () => more());
  });
  const outcome = await createSender().send(server.url, secrets, event, longMs);
  expect(outcome).toMatchObject({ isDelivered: false, status: null, error: "The receiver sent too much." });
});

test("the status of an incomplete response decides whether the delivery succeeded", async () => {
  await using server = await startRawServer((socket) => {
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
  });
  const outcome = await createSender().send(server.url, secrets, event, 300);
  expect(outcome).toMatchObject({ isDelivered: true, status: 200 });
});

test("the errors of a missing response, a silent name server and a refused connection name the problem", async () => {
  await using receiver = await Receiver.start(() => "hang");
  const late = await createSender().send(receiver.url, secrets, event, 50);
  expect(late).toMatchObject({ isDelivered: false, error: "The receiver did not answer within 0.05 seconds." });
  const silent = createSender({ resolve: () => new Promise(() => {}) });
  const never = await silent.send("https://a.example/", secrets, event, 50);
  expect(never.error).toBe("The host of the receiver could not be looked up within 0.05 seconds.");
  const { port } = receiver;
  await receiver[Symbol.asyncDispose]();
  const refused = await createSender().send(`http://127.0.0.1:${port}/`, secrets, event, longMs);
  expect(refused.error).toBe("The receiver refused the connection.");
});

test("aborting the signal ends a delivery attempt and closes its connection", async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  await using server = await startRawServer((socket) => {
    socket.on("data", () => begun.resolve()).on("close", () => closed.resolve());
  });
  const controller = new AbortController();
  const sending = createSender().send(server.url, secrets, event, longMs, controller.signal);
  await begun.promise;
  controller.abort();
  expect(await sending.catch((error: Error) => error.name)).toBe("AbortError");
  await closed.promise;
});

async function startRawServer(onConnection: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
