import { describe, expect, test } from "bun:test";
import { addKey } from "../support/keys.ts";
import { LineReader } from "../support/program.ts";
import { startService, type TestService } from "../support/service.ts";

/** Asked for often enough to be kept, on a store that keeps pages. */
async function hotPage({ client }: TestService, path: string) {
  for (let turn = 0; turn < 3; turn++) await client.call(path);
  return () => client.call(path);
}

const start = async (animals: number) => {
  const service = await startService();
  await service.database.fill(animals);
  return service;
};

describe("a page that is asked for again and again", () => {
  test.each<[what: string, change: (service: TestService) => Promise<unknown>]>([
    ["is renamed", ({ client }) => client.call("/v1/pets/6", { method: "PATCH", body: { name: "Max" } })],
    ["changes its status", ({ client }) => client.call("/v1/pets/6", { method: "PATCH", body: { status: "pending" } })],
    ["is deleted", ({ client }) => client.call("/v1/pets/6", { method: "DELETE" })],
    ["is ordered", ({ client }) => client.call("/v1/store/orders", { body: { petId: 6 } })],
    ["is changed by another hand", ({ database }) => database.run("UPDATE pets SET category_id = 99 WHERE id = 6")],
    ["is deleted by another hand", ({ database }) => database.run("DELETE FROM pets WHERE id = 6")],
  ])("is another one as soon as an animal in it %s", async (_, change) => {
    await using service = await start(100);
    for (const path of ["/v1/pets?limit=20", "/v1/pets?status=available&limit=5", "/v1/pets?id=6"]) {
      const read = await hotPage(service, path);
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

  test("shows each animal that is added to the last page, and the link to the page after it", async () => {
    await using service = await start(0);
    const read = await hotPage(service, "/v1/pets?limit=5");
    for (let count = 1; count <= 7; count++) {
      await service.client.call("/v1/pets", { body: { name: `Animal ${count}`, categoryId: 1 } });
      for (let turn = 0; turn < 3; turn++) {
        const answer = await read();
        expect(answer.json).toHaveLength(Math.min(count, 5));
        expect(answer.headers.get("link")?.includes('rel="next"')).toBe(count > 5);
      }
    }
  });

  test("shows each animal that is added to a list that begins with the newest", async () => {
    await using service = await start(10);
    const read = await hotPage(service, "/v1/pets?limit=5&sort=-id");
    for (let id = 11; id <= 17; id++) {
      await service.client.call("/v1/pets", { body: { name: `Animal ${id}`, categoryId: 1 } });
      for (let turn = 0; turn < 3; turn++) {
        expect(((await read()).json as { id: number }[]).map((animal) => animal.id)).toEqual(
          [0, 1, 2, 3, 4].map((before) => id - before),
        );
      }
    }
  });

  test("shows an animal that another program inserts in the middle", async () => {
    await using service = await start(100);
    await service.database.run("DELETE FROM pets WHERE id = 4");
    const read = await hotPage(service, "/v1/pets?limit=20");
    const columns = engineColumns(service);
    await service.database.run(
      `INSERT INTO pets (id, name, category_id, status) ${columns} VALUES (4, 'Back', 1, 'sold')`,
    );
    expect((await read()).text).toContain('{"id":4,"name":"Back","categoryId":1,"status":"sold"}');
  });

  test("has the same headers as when it was first asked for, and each answer an id of its own", async () => {
    await using service = await start(100);
    const path = "/v1/pets?status=sold&limit=3";
    const first = await service.client.call(path);
    const read = await hotPage(service, path);
    const again = await read();
    const headersOf = ({ headers }: typeof first) =>
      [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)).sort();
    expect(headersOf(again)).toEqual(headersOf(first));
    expect(again.text).toBe(first.text);
    expect(again.headers.get("x-request-id")).not.toBe((await read()).headers.get("x-request-id"));
  });

  test("is still checked: for the key, for what is not known to those who ask, and for what the client has", async () => {
    await using service = await start(100);
    const path = "/v1/pets?limit=3&colour=red";
    const read = await hotPage(service, path);
    const etag = (await read()).headers.get("etag") ?? "";
    expect((await service.client.call(path, { key: null })).status).toBe(401);
    expect((await service.client.call(path, { headers: { prefer: "handling=strict" } })).status).toBe(400);
    const unchanged = await service.client.call(path, { headers: { "if-none-match": etag } });
    expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([304, "", etag]);
    expect(unchanged.headers.get("content-type")).toBeNull();
    const head = await service.client.call(path, { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
  });

  test("keeps to itself what one request is told of its quota and its origin", async () => {
    await using service = await startService({
      quota: { requests: 100, seconds: 60 },
      corsOrigins: ["https://shop.test"],
    });
    const read = await hotPage(service, "/v1/pets");
    const told = await service.client.call("/v1/pets", { headers: { origin: "https://shop.test" } });
    expect(told.headers.get("access-control-allow-origin")).toBe("https://shop.test");
    const { headers } = await read();
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("ratelimit")).toStartWith('"default";r=95;');
  });
});

test("whoever asks in a crowd sees what was saved before, and may see it with a key for reading only", async () => {
  await using service = await start(0);
  const { client } = service;
  const reader = await addKey(service.store);
  let isOver = false;
  const crowd = Array.from({ length: 8 }, async () => {
    while (!isOver) await client.call("/v1/pets?limit=100");
  });
  for (let count = 1; count <= 100; count++) {
    await client.call("/v1/pets", { body: { name: `Animal ${count}`, categoryId: 1 } });
    const answers = await Promise.all([1, 2, 3].map(() => client.call("/v1/pets?limit=100", { key: reader.key })));
    for (const { json } of answers) expect(json).toHaveLength(count);
  }
  isOver = true;
  await Promise.all(crowd);
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
      const [turn, id] = line.split(" ");
      if (id === "new") add.run("Turn " + turn); else rename.run("Turn " + turn, Number(id));
      console.log("done");
    }`;
  const writer = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const answers = new LineReader(writer.stdout);
  const read = await hotPage(service, "/v1/pets?limit=100");
  const readLast = await hotPage(service, "/v1/pets?id=101");
  for (let turn = 1; turn <= 300; turn++) {
    const id = 1 + ((turn * 7) % 100);
    writer.stdin.write(`${turn} ${turn === 150 ? "new" : id}\n`);
    writer.stdin.flush();
    await answers.until(/done/);
    const name = `"name":"Turn ${turn}"`;
    expect((turn === 150 ? await readLast() : await read()).text).toContain(name);
  }
  writer.stdin.end();
  await writer.exited;
});

function engineColumns({ database }: TestService): string {
  return database.address.kind === "postgres" ? "OVERRIDING SYSTEM VALUE" : "";
}
