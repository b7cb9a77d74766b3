import { expect, test } from "bun:test";
import { addKey } from "../support/keys.ts";
import { LineReader } from "../support/program.ts";
import { startService, type TestService } from "../support/service.ts";

/** Requests a page often enough to cache it, if the store supports that, and returns a function that requests the page again. */
async function cachePage({ client }: TestService, path: string) {
  for (let round = 0; round < 3; round++) await client.call(path);
  return () => client.call(path);
}

const start = async (animals: number) => {
  const service = await startService();
  await service.database.fill(animals);
  return service;
};

test.each<[what: string, change: (service: TestService) => Promise<unknown>]>([
  ["is renamed", ({ client }) => client.call("/v1/pets/6", { method: "PATCH", body: { name: "Max" } })],
  ["changes its status", ({ client }) => client.call("/v1/pets/6", { method: "PATCH", body: { status: "pending" } })],
  ["is deleted", ({ client }) => client.call("/v1/pets/6", { method: "DELETE" })],
  ["is ordered", ({ client }) => client.call("/v1/store/orders", { body: { petId: 6 } })],
  ["is changed by another program", ({ database }) => database.run("UPDATE pets SET category_id = 99 WHERE id = 6")],
  ["is deleted by another program", ({ database }) => database.run("DELETE FROM pets WHERE id = 6")],
])("a cached page is read again as soon as an animal on it %s", async (_, change) => {
  await using service = await start(100);
  for (const path of ["/v1/pets?limit=20", "/v1/pets?status=available&limit=5", "/v1/pets?id=6"]) {
    const read = await cachePage(service, path);
    const before = await read();
    expect(before.text).toContain('{"id":6,"name":"Animal 6","categoryId":1,"status":"available"}');
  }
  const etag = (await service.client.call("/v1/pets?limit=20")).headers.get("etag") ?? "";
  await change(service);
  for (const path of ["/v1/pets?limit=20", "/v1/pets?status=available&limit=5", "/v1/pets?id=6"]) {
    const { text } = await service.client.call(path);
    expect(text).not.toContain('{"id":6,"name":"Animal 6","categoryId":1,"status":"available"}');
  }
  const conditional = await service.client.call("/v1/pets?limit=20", { headers: { "if-none-match": etag } });
  expect(conditional.status).toBe(200);
});

test("a repeated request for the last page shows each added animal, and the link to the next page", async () => {
  await using service = await start(0);
  const read = await cachePage(service, "/v1/pets?limit=5");
  for (let count = 1; count <= 7; count++) {
    await service.client.call("/v1/pets", { body: { name: `Animal ${count}`, categoryId: 1 } });
    for (let round = 0; round < 3; round++) {
      const response = await read();
      expect(response.json).toHaveLength(Math.min(count, 5));
      expect(response.headers.get("link")?.includes('rel="next"')).toBe(count > 5);
    }
  }
});

test("a repeated request for a list of the newest animals shows each added animal", async () => {
  await using service = await start(10);
  const read = await cachePage(service, "/v1/pets?limit=5&sort=-id");
  for (let id = 11; id <= 17; id++) {
    await service.client.call("/v1/pets", { body: { name: `Animal ${id}`, categoryId: 1 } });
    for (let round = 0; round < 3; round++) {
      expect(((await read()).json as { id: number }[]).map((animal) => animal.id)).toEqual(
        [0, 1, 2, 3, 4].map((before) => id - before),
      );
    }
  }
});

test("a repeated request shows an animal that another program inserts in the middle of the page", async () => {
  await using service = await start(100);
  await service.database.run("DELETE FROM pets WHERE id = 4");
  const read = await cachePage(service, "/v1/pets?limit=20");
  const columns = engineColumns(service);
  await service.database.run(
    `INSERT INTO pets (id, name, category_id, status) ${columns} VALUES (4, 'Back', 1, 'sold')`,
  );
  expect((await read()).text).toContain('{"id":4,"name":"Back","categoryId":1,"status":"sold"}');
});

test("a cached page has the headers of the first response, but each response has its own request id", async () => {
  await using service = await start(100);
  const path = "/v1/pets?status=sold&limit=3";
  const first = await service.client.call(path);
  const read = await cachePage(service, path);
  const again = await read();
  const headersOf = ({ headers }: typeof first) =>
    [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)).sort();
  expect(headersOf(again)).toEqual(headersOf(first));
  expect(again.text).toBe(first.text);
  expect(again.headers.get("x-request-id")).not.toBe((await read()).headers.get("x-request-id"));
});

test("authentication, strict handling and conditions apply to cached pages", async () => {
  await using service = await start(100);
  const path = "/v1/pets?limit=3&colour=red";
  const read = await cachePage(service, path);
  const etag = (await read()).headers.get("etag") ?? "";
  expect((await service.client.call(path, { key: null })).status).toBe(401);
  expect((await service.client.call(path, { headers: { prefer: "handling=strict" } })).status).toBe(400);
  const unchanged = await service.client.call(path, { headers: { "if-none-match": etag } });
  expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([304, "", etag]);
  expect(unchanged.headers.get("content-type")).toBeNull();
  const head = await service.client.call(path, { method: "HEAD" });
  expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
});

test("a cached page does not contain the rate limit and CORS headers of another request", async () => {
  await using service = await startService({
    quota: { requests: 100, seconds: 60 },
    corsOrigins: ["https://shop.test"],
  });
  const read = await cachePage(service, "/v1/pets");
  const allowed = await service.client.call("/v1/pets", { headers: { origin: "https://shop.test" } });
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://shop.test");
  const { headers } = await read();
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("ratelimit")).toStartWith('"default";r=95;');
});

test("concurrent requests see every earlier write, even with a read-only key", async () => {
  await using service = await start(0);
  const { client } = service;
  const reader = await addKey(service.store);
  let isOver = false;
  const backgroundReaders = Array.from({ length: 8 }, async () => {
    while (!isOver) await client.call("/v1/pets?limit=100");
  });
  for (let count = 1; count <= 100; count++) {
    await client.call("/v1/pets", { body: { name: `Animal ${count}`, categoryId: 1 } });
    const responses = await Promise.all([1, 2, 3].map(() => client.call("/v1/pets?limit=100", { key: reader.key })));
    for (const { json } of responses) expect(json).toHaveLength(count);
  }
  isOver = true;
  await Promise.all(backgroundReaders);
});

test("a reader sees each commit of another process on its next request", async () => {
  await using service = await startService({}, "sqlite");
  await service.database.fill(100);
  const { address } = service.database;
  const path = address.kind === "sqlite" ? address.path : "";
  const script = `
    const { Database } = require("bun:sqlite");
    const database = new Database(${JSON.stringify(path)});
    database.run("PRAGMA busy_timeout = 5000");
    const rename = database.prepare("UPDATE pets SET name = ? WHERE id = ?");
    const add = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 1, 'sold')");
    for await (const line of console) {
      const [round, id] = line.split(" ");
      if (id === "new") add.run("Turn " + round); else rename.run("Turn " + round, Number(id));
      console.log("done");
    }`;
  const writer = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const responses = new LineReader(writer.stdout);
  const read = await cachePage(service, "/v1/pets?limit=100");
  const readLast = await cachePage(service, "/v1/pets?id=101");
  for (let round = 1; round <= 300; round++) {
    const id = 1 + ((round * 7) % 100);
    writer.stdin.write(`${round} ${round === 150 ? "new" : id}\n`);
    writer.stdin.flush();
    await responses.until(/done/);
    const name = `"name":"Turn ${round}"`;
    expect((round === 150 ? await readLast() : await read()).text).toContain(name);
  }
  writer.stdin.end();
  await writer.exited;
});

function engineColumns({ database }: TestService): string {
  return database.address.kind === "postgres" ? "OVERRIDING SYSTEM VALUE" : "";
}
