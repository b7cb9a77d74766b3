import { expect, test } from "bun:test";
import { connect } from "node:net";
import { RawConnection } from "../support/raw.ts";
import { startService, type TestService } from "../support/service.ts";
import { pause, until } from "../support/wait.ts";

const unreachableMs = 3_600_000;

test("idle connections do not delay the stop of the service", async () => {
  await withService(async (service) => {
    using idle = new RawConnection(service.client.url);
    expect((await idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response())?.status).toBe(200);
    await service.service.stop(unreachableMs);
    expect(await idle.untilClosed()).toStartWith("HTTP/1.1 200 ");
  });
});

test("a request that has already arrived when the service stops gets a response", async () => {
  await withService(async (service) => {
    const connections = Array.from({ length: 50 }, () => new RawConnection(service.client.url));
    const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const connection of connections) await connection.send(request).response();
    await Promise.all(connections.map((connection) => connection.sendAll(request)));
    await service.service.stop(unreachableMs);
    for (const connection of connections) {
      expect((await connection.untilClosed()).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    }
  });
});

test("a request with incomplete headers does not delay the stop of the service", async () => {
  await withService(async (service) => {
    using half = new RawConnection(service.client.url);
    half.send("GET /healthz HTTP/1.1\r\nHost: x\r\n");
    await service.client.call("/healthz");
    await service.service.stop(unreachableMs);
    expect(await half.untilClosed()).toBe("");
  });
});

test("a request with an incomplete body delays the stop of the service, but no longer than the limit", async () => {
  const parts = { limits: { body: { maxBytes: 65_536, timeoutMs: unreachableMs } } };
  await withService(async (service) => {
    using half = new RawConnection(service.client.url);
    half.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.client.key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await service.client.call("/healthz");
    await service.service.stop(50);
    expect(await half.untilClosed()).toBe("");
  }, parts);
});

test("a response that waits for the body of its request closes the connection if the service stops meanwhile", async () => {
  await withService(async (service) => {
    using waiting = new RawConnection(service.client.url);
    // Waits until the service has accepted the connection.
    await waiting.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response();
    waiting.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{");
    await service.client.call("/healthz");
    const stopped = service.service.stop(unreachableMs);
    expect(await waiting.send("}").untilClosed()).toMatch(/HTTP\/1\.1 401 [^{]*\r\nconnection: close\r\n/i);
    await stopped;
  });
});

test("a client that is still sending gets its response when the service stops, however much it sends", async () => {
  await withService(async (service) => {
    const sending = connect(Number(service.client.url.port), "127.0.0.1").pause();
    sending.on("error", () => {});
    const closed = new Promise((resolve) => sending.on("close", resolve));
    // Content-Length exceeds what the service receives before it responds; fewer bytes are actually sent.
    const [bytes, half] = [9_000_000, " ".repeat(2_000_000)];
    sending.write(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${half}`);
    const isAnswered = () => service.metrics.render().then((text) => /requests_total\{[^}]*status="401"/.test(text));
    await until(isAnswered);
    const stopped = service.service.stop(unreachableMs);
    for (let round = 0; round < 10; round++) await pause();
    sending.write(half);
    await stopped;
    let text = "";
    sending.on("data", (data) => {
      text += data;
    });
    sending.resume();
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 401 [\s\S]*\}$/);
  });
});

test("a second stop of the service, during or after the first, does not close the store again", async () => {
  await withService(async ({ service, client, store }) => {
    let closeCount = 0;
    const { close } = store;
    store.close = async () => {
      closeCount++;
      await close();
    };
    await client.call("/v1/pets");
    await Promise.all([service.stop(unreachableMs), service.stop(unreachableMs)]);
    await service.stop(unreachableMs);
    expect(closeCount).toBe(1);
    expect(await client.call("/healthz").catch((error: Error) => error)).toBeInstanceOf(Error);
  });
});

/** Starts a service, and runs `use`, which stops the service itself. */
async function withService(
  use: (service: TestService) => Promise<void>,
  parts: Parameters<typeof startService>[0] = {},
): Promise<void> {
  const service = await startService(parts);
  await using _database = service.database;
  await use(service);
}
