#!/usr/bin/env bun
import { connect } from "node:net";
import { Deployment } from "../test/support/deployment.ts";
import { clearEnvironment } from "../test/support/environment.ts";
import { programKey } from "../test/support/program.ts";
import { readResidentMegabytes } from "./process.ts";

/**
 * Sends a mixed load for SOAK_MINUTES through HAProxy to two instances, which use a PostgreSQL primary and two standbys. Prints the number
 * of requests and the memory of the instances every minute. With SOAK_PGBOUNCER=1, each database server is behind a PgBouncer.
 */
const minutes = Number(process.env["SOAK_MINUTES"] ?? 10);
const isPooled = process.env["SOAK_PGBOUNCER"] === "1";
const clientCount = 8;
const minuteMs = 60_000;

clearEnvironment();
await using deployment = await Deployment.start(["--log-level", "warn"], { isPooled });
const { url } = deployment.proxy;
await deployment.untilReadFrom(...deployment.standbys);

const countsByStatus = new Map<number, number>();
let newestId = await createAnimal();
let isOver = false;
const clients = Promise.all(Array.from({ length: clientCount }, runClient));
console.log("| Minute | Requests | Instance one, MB | Instance two, MB |\n|---|---|---|---|");
for (let minute = 0; minute <= minutes; minute++) {
  if (minute > 0) await Promise.race([Bun.sleep(minuteMs), clients]);
  const requests = [...countsByStatus.values()].reduce((sum, count) => sum + count, 0);
  const memory = deployment.instances.map(({ child }) => Math.round(readResidentMegabytes(child.pid)));
  console.log(`| ${minute} | ${requests} | ${memory.join(" | ")} |`);
}
isOver = true;
await clients;
const sortedCounts = [...countsByStatus].toSorted(([one], [other]) => one - other);
console.log(`\n${sortedCounts.map(([status, count]) => `${count} responses with ${status}`).join(", ")}`);
const errors = deployment.logLines().filter((line) => line.includes('"level":"error"'));
if (errors.length > 0 || sortedCounts.some(([status]) => status >= 500)) {
  console.log(errors.slice(0, 10).join("\n"));
  process.exitCode = 1;
}

async function runClient(): Promise<void> {
  while (!isOver) await sendRandomRequest(Math.random() * 100);
}

/** Sends one request: 60 % pages, 15 % single animals, 15 % creates, 5 % changes and orders, 3 % wrong keys, 2 % disconnects. */
async function sendRandomRequest(percent: number): Promise<void> {
  const id = 1 + Math.floor(Math.random() * newestId);
  if (percent < 40) await send("GET", "/v1/pets?limit=20");
  else if (percent < 60) await send("GET", "/v1/pets?status=available&sort=-id&limit=50");
  else if (percent < 75) await send("GET", `/v1/pets?id=${id}`);
  else if (percent < 90) newestId = Math.max(newestId, await createAnimal());
  else if (percent < 93) await send("PATCH", `/v1/pets/${id}`, { name: "Rexine" });
  else if (percent < 95) await send("POST", "/v1/store/orders", { petId: id });
  else if (percent < 98) await send("GET", "/v1/pets", undefined, "a-wrong-key");
  else await disconnectEarly();
}

async function createAnimal(): Promise<number> {
  const { json } = await send("POST", "/v1/pets", { name: "Rex", categoryId: 7 });
  return (json as { id?: number }).id ?? 0;
}

async function send(method: string, target: string, body?: unknown, key = programKey): Promise<{ json: unknown }> {
  const response = await fetch(new URL(target, url), {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      // Half of the POST requests have an Idempotency-Key.
      ...(method === "POST" && Math.random() < 0.5 && { "idempotency-key": crypto.randomUUID() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  countsByStatus.set(response.status, (countsByStatus.get(response.status) ?? 0) + 1);
  return { json };
}

function disconnectEarly(): Promise<void> {
  return new Promise((resolve) => {
    const request = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${programKey}\r\n\r\n`;
    const socket = connect(Number(url.port), url.hostname, () => socket.write(request, () => socket.destroy()));
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}
