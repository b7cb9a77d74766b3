import { afterAll, expect } from "bun:test";
import { get } from "node:http";
import { connect, constants } from "node:http2";
import { linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import { Deployment } from "../support/deployment.ts";
import { haProxySkipReason } from "../support/haproxy.ts";
import { readContinuously, WriteLoad } from "../support/load.ts";
import { transactionPoolerSkipReason } from "../support/pgbouncer.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { RawConnection } from "../support/raw.ts";
import { pauseLoad, until } from "../support/wait.ts";

/** Minimum number of animals that are read through another instance, and through HAProxy, right after their creation. */
const minReads = Number(process.env["READS"] ?? 300);
const rex = { name: "Rex", categoryId: 7 };

const [defaultDeployment, corsDeployment, pooledDeployment] = [
  shareDeployment(() => Deployment.start()),
  shareDeployment(() => Deployment.start(["--cors-origin", "https://shop.example"])),
  shareDeployment(() => Deployment.start([], { isPooled: true })),
];

testUnless(
  haProxySkipReason ?? linuxSkipReason("127.0.0.2"),
  "the service logs the addresses of clients behind HAProxy",
  defaultDeployment.forTest(async (deployment) => {
    const { proxy } = deployment;
    const headers = { authorization: "Bearer a-key-that-nobody-has", forwarded: "for=203.0.113.9" };
    const status = await new Promise((resolve, reject) => {
      const request = get(new URL("/v1/pets", proxy.url), { localAddress: "127.0.0.2", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      request.on("error", reject);
    });
    expect(status).toBe(401);
    const findRefusals = () => deployment.logLines().filter((line) => line.includes('"status":401'));
    await until(() => findRefusals().length > 0);
    expect(findRefusals().map((line) => JSON.parse(line).client)).toEqual(["127.0.0.2"]);
  }),
);

testUnless(
  haProxySkipReason,
  "the service logs no error when clients of HAProxy hang up",
  defaultDeployment.forLastTest(async (deployment) => {
    const client = deployment.client();
    await Promise.all(Array.from({ length: 100 }, () => client.call("/v1/pets", { body: rex })));
    const request = (method: string, target: string, body = "") =>
      [
        `${method} ${target} HTTP/1.1`,
        `Host: ${deployment.proxy.url.host}`,
        `Authorization: Bearer ${client.key}`,
        `Content-Type: application/json`,
        `Content-Length: ${body.length}`,
        "",
        body,
      ].join("\r\n");
    const list = request("GET", "/v1/pets?limit=100");
    const create = request("POST", "/v1/pets", JSON.stringify(rex));
    const once = create.replace("\r\n", `\r\nIdempotency-Key: ${crypto.randomUUID()}\r\n`);
    const abandoned: [string, isSentInFull: boolean][] = [
      [list, true],
      [create, true],
      [once, true],
      [create.slice(0, -5), false],
      [list.slice(0, -5), false],
    ];
    {
      await using readers = readContinuously(4, async () => {
        expect((await client.call("/v1/pets?limit=100")).status).toBe(200);
      });
      for (let round = 0; round < 24; round++) {
        await Promise.all(
          abandoned.flatMap(([bytes, isSentInFull]) => [
            hangUp(deployment.proxy.url, bytes, () => readers.untilMore(1)),
            hangUp(deployment.proxy.url, bytes, () => readers.untilMore(round % 4)),
            ...(isSentInFull ? [hangUp(deployment.proxy.url, bytes, (connection) => connection.response())] : []),
          ]),
        );
      }
      await readers.untilMore(100);
      expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
    }

    // Ends the instances first, so that their logs are complete.
    await Promise.all(deployment.instances.map(({ child }) => child.kill("SIGTERM")));
    expect(await Promise.all(deployment.instances.map(({ child }) => child.exited))).toEqual([0, 0]);
    const entries = deployment.logLines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.filter(({ operation }) => operation === "createPet").length).toBeGreaterThan(100);
    expect(entries.filter(({ level }) => level === "error")).toEqual([]);
    // Ignores health checks, because a draining instance responds to HAProxy's health checks with 503.
    const clientRequests = entries.filter(({ path }) => !String(path).startsWith("/readyz"));
    expect(clientRequests.filter(({ status }) => Number(status) >= 500)).toEqual([]);
  }),
);

testUnless(
  haProxySkipReason,
  "HAProxy responds with 408 and an error in the API's format to a request whose body does not arrive",
  defaultDeployment.forTest(async ({ proxy }) => {
    using connection = new RawConnection(proxy.url);
    connection.send("POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{");
    const response = await connection.response();
    expect([response?.status, response?.headers.get("content-type")]).toEqual([408, "application/json"]);
    expect(JSON.parse(response?.text ?? "")).toMatchObject({ code: "RequestTimeout", status: 408 });
    expect(response?.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  }),
);

testUnless(
  haProxySkipReason,
  "while the primary is dead, reads through HAProxy succeed, and writes get 503",
  corsDeployment.forTest(async (deployment) => {
    const { primary, proxy } = deployment;
    const admin = deployment.client();
    const createResponse = await admin.call("/v1/keys", { body: { name: "till", scope: "write" } });
    const { key } = createResponse.json as { key: string };
    // Uses a stored API key, which instances must read from the database.
    const client = deployment.client(key);
    const { id } = (await client.call("/v1/pets", { body: rex })).json as { id: number };
    await deployment.untilReadFrom(...deployment.standbys);

    await using readers = readContinuously(4, async () => {
      expect(await client.call(`/v1/pets?id=${id}`)).toMatchObject({ status: 200, json: [{ id }] });
    });
    await primary.kill();
    // An instance sends this 503, because HAProxy has not noticed the loss of the primary yet.
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(503);
    await proxy.until(0, "writes");
    const refused = await client.call("/v1/pets", { body: rex });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.json).toEqual({
      code: "ServiceUnavailable",
      message: "The store cannot be reached now. Nothing was saved; try again.",
      status: 503,
    });
    expect(await postOverHttp2(proxy.http2Url)).toEqual({ status: 503, rstCode: constants.NGHTTP2_NO_ERROR });
    const preflight = { origin: "https://shop.example", "access-control-request-method": "GET" };
    expect((await client.call("/v1/pets", { method: "OPTIONS", key: null, headers: preflight })).status).toBe(204);
    await readers.untilMore(200);
    expect(await proxy.countServers("reads")).toBe(2);

    await primary.start();
    await proxy.until(2, "writes");
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
  }),
);

for (const [suffix, skipReason, deployments] of [
  ["", haProxySkipReason, corsDeployment],
  [", with PgBouncer", haProxySkipReason ?? transactionPoolerSkipReason, pooledDeployment],
] as const) {
  testUnless(
    skipReason,
    `${minReads} new animals can be read immediately through another instance and through HAProxy, while a standby fails${suffix}`,
    deployments.forTest(async (deployment) => {
      const { primary, standbys, instances } = deployment;
      const [north] = standbys;
      const proxyClient = deployment.client();
      await deployment.untilReadFrom(...standbys);

      let readCount = 0;
      let refusedCount = 0;
      const stale: string[] = [];
      const createAndRead = async (worker: number) => {
        for (let round = 0; readCount < minReads || !isCycleOver; round++) {
          const [one, other] = round % 2 === 0 ? instances : ([instances[1], instances[0]] as const);
          const body = { name: `Rex ${worker}`, categoryId: round };
          const created = await one.client.call("/v1/pets", { body });
          if (created.status !== 201) {
            expect(created.status).toBe(503);
            refusedCount++;
            continue;
          }
          const { id } = created.json as { id: number };
          for (const client of [other.client, proxyClient]) {
            const found = await client.call(`/v1/pets?id=${id}`);
            expect(found.status).toBe(200);
            if ((found.json as unknown[]).length !== 1) stale.push(`${id} after ${readCount} reads`);
          }
          readCount++;
          await pauseLoad();
        }
      };
      let isCycleOver = false;
      const workers = Promise.all(Array.from({ length: 8 }, (_, worker) => createAndRead(worker)));
      const untilMore = async (count: number) => {
        const enough = readCount + count;
        await Promise.race([workers, until(() => readCount >= enough)]);
      };
      const each = Math.min(50, Math.ceil(minReads / 6));
      let cycleCount = 0;
      do {
        await untilMore(each);
        north.signalAll("SIGSTOP");
        // Commits wait for the standby until the operator removes the standby from the setting.
        await primary.set({ synchronous_standby_names: "FIRST 1 (south)" });
        await untilMore(each);
        north.signalAll("SIGCONT");
        // The standby responds again, but lags behind even when commits begin to wait for the standby.
        await north.run("SELECT pg_wal_replay_pause()");
        await untilMore(each);
        await primary.set({ synchronous_standby_names: "FIRST 2 (north, south)" });
        const waitedFor = "SELECT 1 FROM pg_stat_replication WHERE application_name = 'north' AND sync_state = 'sync'";
        await until(async () => (await primary.run(waitedFor)).length > 0);
        await north.run("SELECT pg_wal_replay_resume()");
        await deployment.untilReadFrom(north);
        cycleCount++;
      } while (readCount < minReads);
      isCycleOver = true;
      await workers;
      console.log(
        `${readCount} reads after a create, ${stale.length} stale, ${cycleCount} freezes, ${refusedCount} creates refused`,
      );
      expect(stale).toEqual([]);
    }),
  );

  testUnless(
    skipReason,
    `a failover under load behind HAProxy loses no acknowledged write, and interrupts no read${suffix}`,
    deployments.forLastTest(async (deployment) => {
      const { primary, standbys, instances, proxy } = deployment;
      const client = deployment.client();
      await deployment.untilReadFrom(...standbys);

      const load = new WriteLoad([client], "failover");
      await load.untilMore(100);
      await using readers = readContinuously(4, async () => {
        const id = load.newestId;
        expect(await client.call(`/v1/pets?id=${id}`)).toMatchObject({ status: 200, json: [{ id }] });
      });

      await readers.untilMore(100);
      await primary.kill();
      // Waits until HAProxy has noticed the loss, about as long as an operator waits before promoting a standby.
      await proxy.until(0, "writes");
      await readers.untilMore(100);
      const [successor, other] = await sortByProgress(standbys);
      await successor.promote();
      await load.untilMore(100);
      // The other standby follows the new primary, whose commits wait for that standby.
      await other.stop();
      other.follow(successor);
      await other.start();
      const [name] = await other.run<{ cluster_name: string }>("SHOW cluster_name");
      await successor.set({ synchronous_standby_names: `FIRST 1 (${name?.cluster_name})` });
      await deployment.untilReadFrom(other);
      await load.untilMore(100);
      await readers.untilMore(100);
      await load.end();

      for (const { client: reader } of instances) {
        await load.requireAnimals(reader);
      }
    }),
  );
}

/** Shares a deployment among tests until a test fails or the last test ends, because a start takes longer than most tests. */
function shareDeployment(start: () => Promise<Deployment>) {
  let started: Promise<Deployment> | undefined;
  const end = async () => {
    const ended = started;
    started = undefined;
    await (await ended?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
  afterAll(end);
  const forTest = (body: (deployment: Deployment) => Promise<void>) => async () => {
    started ??= start();
    try {
      await body(await started);
    } catch (error) {
      await end();
      throw error;
    }
  };
  return {
    forTest,
    forLastTest: (body: (deployment: Deployment) => Promise<void>) => async () => {
      await forTest(body)();
      await end();
    },
  };
}

async function hangUp(url: URL, bytes: string, wait: (connection: RawConnection) => Promise<unknown>): Promise<void> {
  using connection = new RawConnection(url);
  connection.send(bytes);
  await wait(connection);
}

/** Sorts the standbys by received WAL, the most advanced first. Only the first standby can become the primary of the other. */
async function sortByProgress(
  standbys: readonly [PostgresServer, PostgresServer],
): Promise<readonly [PostgresServer, PostgresServer]> {
  const [north, south] = standbys;
  const received = await Promise.all(
    standbys.map((standby) => standby.run<{ lsn: string }>("SELECT pg_last_wal_receive_lsn() AS lsn")),
  );
  const [first, second] = received.map(([row]) => row?.lsn ?? "0/0");
  const [{ isBehind } = { isBehind: false }] = await north.run<{ isBehind: boolean }>(
    `SELECT '${first}'::pg_lsn < '${second}'::pg_lsn AS "isBehind"`,
  );
  return isBehind ? [south, north] : [north, south];
}

/** Sends the body 100 ms after the headers. Returns the status and the reset code: after a reset, clients may drop the response. */
function postOverHttp2(url: URL): Promise<{ status: number | undefined; rstCode: number | undefined }> {
  return new Promise((resolve, reject) => {
    const session = connect(url).on("error", reject);
    const stream = session.request({ ":method": "POST", ":path": "/v1/pets", "content-type": "application/json" });
    let status: number | undefined;
    stream.on("response", (headers) => {
      status = headers[":status"];
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      session.close();
      resolve({ status, rstCode: stream.rstCode });
    });
    stream.resume().write(" ");
    // After this delay, HAProxy has responded, unless HAProxy waits for the body.
    setTimeout(() => stream.end(JSON.stringify(rex)), 100);
  });
}
