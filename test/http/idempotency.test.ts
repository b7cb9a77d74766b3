import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDecipheriv, hkdfSync } from "node:crypto";
import { hashKey } from "../../src/domain/key-secret.ts";
import { recordTable, tables } from "../../src/store/tables.ts";
import { engine, makeDatabase } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { startService, startServiceOn, type TestService } from "../support/service.ts";

let service: TestService;
let now = Date.parse("2026-11-15T10:00:00Z");
beforeAll(async () => {
  service = await startService({ clock: () => now });
});
afterAll(() => service[Symbol.asyncDispose]());

const call: TestService["client"]["call"] = (path, options) => service.client.call(path, options);
const rex = { name: "Rex", categoryId: 7 };
let names = 0;
const newName = () => `name-${names++}`;
const create = (name: string, body: unknown = rex, rest: { key?: string } = {}) =>
  call("/v1/pets", { body, headers: { "idempotency-key": name }, ...rest });
const count = async () => {
  const { json } = await call("/v1/store/inventory");
  return Object.values(json as Record<string, number>).reduce((sum, one) => sum + one);
};

/** What is kept of the requests that may be repeated. */
const recordsOf = async ({ store }: TestService) => {
  const rows = await store.transfer.read(recordTable, undefined, 10);
  return rows.map(([, , outcome]) => String(outcome));
};

/** What must be the same when a request is sent again. */
const essence = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) => [
  status,
  text,
  headers.get("location"),
  headers.get("etag"),
  headers.get("content-type"),
];

describe("Idempotency-Key", () => {
  test("a request that is sent again is not done again, and gets the same bytes", async () => {
    const name = newName();
    const first = await create(name, '{"name":"Rex","categoryId":9223372036854775807}');
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const before = await count();
    for (let turn = 0; turn < 3; turn++) {
      const again = await create(name, '{"name":"Rex","categoryId":9223372036854775807}');
      expect(essence(again)).toEqual(essence(first));
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(await count()).toBe(before);
  });

  test.each([
    ["white space", '{ "name": "Rex",\n "categoryId": 7 }'],
    ["another order of the fields", '{"categoryId":7,"name":"Rex"}'],
    ["another way to write the same", '{"name":"\\u0052ex","categoryId":7.0}'],
    ["a default that is given", '{"name":"Rex","categoryId":7,"status":"available"}'],
    ["a field that is not known", '{"name":"Rex","categoryId":7,"colour":"red"}'],
  ])("%s in the body makes no other request, and quotes around the key no other key", async (_, body) => {
    const name = newName();
    const first = await create(name);
    expect(essence(await create(`"${name}"`, body))).toEqual(essence(first));
  });

  test("422 for another body, and nothing is done", async () => {
    const name = newName();
    await create(name);
    const before = await count();
    for (const body of [
      { ...rex, name: "Max" },
      { ...rex, status: "sold" },
      { ...rex, categoryId: 8 },
    ]) {
      expect((await create(name, body)).json).toEqual({
        code: "UnprocessableContent",
        message: "This Idempotency-Key was used for another request. Send another one, or the same request.",
        status: 422,
      });
    }
    expect(await count()).toBe(before);
  });

  test("belongs to the API key and to the operation", async () => {
    const name = newName();
    const mine = await create(name);
    const { key } = await addKey(service.store, { scope: "write" });
    const theirs = await create(name, rex, { key });
    expect(theirs.text).not.toBe(mine.text);
    const { id: petId } = mine.json as { id: number };
    const order = await call("/v1/store/orders", { body: { petId }, headers: { "idempotency-key": name } });
    expect(order.status).toBe(201);
  });

  describe("belongs to the API key and to all that replace it", () => {
    const rotateKey = async (id: number) => {
      const { json } = await call(`/v1/keys/${id}/rotate`, { method: "POST" });
      return json as { id: number; key: string };
    };

    test("so that what was done before a rotation is not done again after it", async () => {
      const name = newName();
      const first = await addKey(service.store, { scope: "write", createdAt: now });
      const made = await create(name, rex, { key: first.key });
      const before = await count();
      const second = await rotateKey(first.id);
      const third = await rotateKey(second.id);
      for (const { key } of [third, second, first]) {
        const again = await create(name, rex, { key });
        expect(essence(again)).toEqual(essence(made));
        expect(again.headers.get("idempotent-replayed")).toBe("true");
      }
      expect((await create(name, { ...rex, name: "Max" }, { key: third.key })).status).toBe(422);
      expect(await count()).toBe(before);
    });

    test.each(["create", "rotate"])(
      "but a new key is shown to the one that asked for it alone, and no other is made: %s",
      async (how) => {
        const asking = await addKey(service.store, { scope: "admin", createdAt: now });
        const till = await addKey(service.store, { scope: "write", createdAt: now });
        const send = (key: string) =>
          call(how === "create" ? "/v1/keys" : `/v1/keys/${till.id}/rotate`, {
            body: how === "create" ? { name: "till", scope: "write" } : {},
            headers: { "idempotency-key": `show-${how}` },
            key,
          });
        const made = await send(asking.key);
        const { id } = made.json as { id: number };
        const successor = await rotateKey(asking.id);
        const refused = await send(successor.key);
        expect(refused.json).toEqual({
          code: "UnprocessableContent",
          message: `Key ${id} was already created by this request, and is shown only to the key that asked for it. Send the request with that key, or revoke key ${id} and create another one with a new Idempotency-Key.`,
          status: 422,
        });
        expect(refused.headers.get("idempotent-replayed")).toBe("true");
        expect((await send(asking.key)).text).toBe(made.text);
        expect((await call(`/v1/keys/${successor.id + 1}`)).status).toBe(404);
      },
    );

    test.each(["create", "rotate"])(
      "whatever the rules would say to it now, since it was done before: %s",
      async (how) => {
        const asking = await addKey(service.store, { scope: "admin", createdAt: now });
        const till = await addKey(service.store, { scope: "write", createdAt: now });
        const expiresAt = new Date(now + 3_600_000).toISOString();
        const send = (key: string) =>
          call(how === "create" ? "/v1/keys" : `/v1/keys/${till.id}/rotate`, {
            body: how === "create" ? { name: "till", scope: "write", expiresAt } : { expiresAt },
            headers: { "idempotency-key": `rules-${how}` },
            key,
          });
        const made = await send(asking.key);
        expect(made.status).toBe(201);
        // The successor lives for less than the key that was made, which takes another admin that lasts.
        await addKey(service.store, { scope: "admin", createdAt: now });
        const end = new Date(now + 1_800_000).toISOString();
        const rotated = await call(`/v1/keys/${asking.id}/rotate`, { body: { expiresAt: end } });
        expect(rotated.status).toBe(201);
        const again = await send((rotated.json as { key: string }).key);
        expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([422, "true"]);
        // Nor does it matter that the key that was made has expired since.
        now += 3_600_001;
        expect(essence(await send(asking.key))).toEqual(essence(made));
      },
    );

    test.each([
      ["a key that cannot give as much", 403, { name: "till", scope: "write" }],
      ["a time that has passed", 400, { name: "till", scope: "write", expiresAt: "2026-11-15T09:00:00Z" }],
    ])("and a refusal because of %s is not kept", async (_, status, body) => {
      const name = newName();
      const asking = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + 60_000 });
      const send = () => call("/v1/keys", { body, headers: { "idempotency-key": name }, key: asking.key });
      for (let turn = 0; turn < 2; turn++) {
        const refused = await send();
        expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([status, null]);
      }
      const other = { ...body, expiresAt: new Date(now + 1000).toISOString() };
      const made = await call("/v1/keys", { body: other, headers: { "idempotency-key": name }, key: asking.key });
      expect(made.status).toBe(201);
    });
  });

  test("409 while the first is in progress; afterwards its response", async () => {
    const name = newName();
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(name)));
    const [made = [], ...others] = [...new Map(answers.map((answer) => [answer.status, answer])).values()]
      .sort((one, other) => one.status - other.status)
      .map(essence);
    expect(made[0]).toBe(201);
    expect(others.map(([status, text]) => [status, text])).toEqual([
      [
        409,
        '{"code":"Conflict","message":"A request with this Idempotency-Key is still in progress. Send it again in a moment.","status":409}',
      ],
    ]);
    for (const { status, headers } of answers) if (status === 409) expect(headers.get("retry-after")).toBe("1");
    for (const answer of answers) if (answer.status === 201) expect(essence(answer)).toEqual(made);
    expect(essence(await create(name))).toEqual(made);
    expect(await count()).toBe(before + 1);
  });

  test("a refusal by what is there is kept; one by what was sent is not", async () => {
    const name = newName();
    const place = () => call("/v1/store/orders", { body: { petId: 999_999 }, headers: { "idempotency-key": name } });
    const first = await place();
    const again = await place();
    expect(first.status).toBe(409);
    expect(essence(again)).toEqual(essence(first));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = newName();
    expect((await create(other, { name: "" })).status).toBe(400);
    expect((await create(other)).status).toBe(201);
  });

  test("works for every POST: orders and their ends, keys and their rotation", async () => {
    const { headers } = await create(newName());
    const petId = Number(headers.get("location")?.split("/").at(-1));
    const twice = async (path: string, body?: unknown) => {
      const options = { method: "POST", body, headers: { "idempotency-key": newName() } };
      const first = await call(path, options);
      now += 60_000;
      const again = await call(path, options);
      expect(essence(again)).toEqual(essence(first));
      expect([first, again].map((answer) => answer.headers.get("idempotent-replayed"))).toEqual([null, "true"]);
      return first;
    };
    const placed = await twice("/v1/store/orders", { petId });
    const order = placed.headers.get("location");
    expect((await twice(`${order}/cancel`)).json).toMatchObject({ status: "cancelled" });
    const second = await twice("/v1/store/orders", { petId });
    expect((await twice(`${second.headers.get("location")}/complete`)).json).toMatchObject({ status: "completed" });
    const made = await twice("/v1/keys", { name: "till", scope: "read" });
    expect(made.status).toBe(201);
    const { id, key } = made.json as { id: number; key: string };
    expect((await call("/v1/pets", { key })).status).toBe(200);
    const rotated = await twice(`/v1/keys/${id}/rotate`, { overlapSeconds: 60 });
    expect(rotated.status).toBe(201);
    expect((await call("/v1/pets", { key: (rotated.json as { key: string }).key })).status).toBe(200);
    expect((await twice(`/v1/keys/${id}/revoke`)).json).toMatchObject({ state: "revoked" });
  });

  test("one name for the ends of two orders is two requests", async () => {
    const options = { method: "POST", headers: { "idempotency-key": newName() } };
    expect((await call("/v1/store/orders/999998/complete", options)).status).toBe(404);
    expect((await call("/v1/store/orders/999999/complete", options)).status).toBe(422);
  });

  test("is kept for 24 hours, and then removed", async () => {
    const name = newName();
    const first = await create(name);
    now += 24 * 3_600_000 - 1;
    expect(essence(await create(name))).toEqual(essence(first));
    now += 1;
    const second = await create(name);
    expect(second.status).toBe(201);
    expect(second.text).not.toBe(first.text);
    expect(second.headers.get("idempotent-replayed")).toBeNull();
  });

  test.each([
    ["x".repeat(255)],
    [`"${"x".repeat(255)}"`],
    ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
    ["8e03978e-40d5-43e8-bc93-6894a57f9324"],
  ])("%p is one", async (name) => {
    expect((await create(name)).status).toBe(201);
  });

  test.each([[""], ["x".repeat(256)], [`"${"x".repeat(256)}"`], ["a b"], ['"'], ['a"b'], ["é"], ['""'], ['"a']])(
    "400 for %p",
    async (name) => {
      const before = await count();
      expect((await create(name)).json).toEqual({
        code: "BadRequest",
        message:
          "Idempotency-Key must be given once, as 1 to 255 printable ASCII characters without spaces and double quotes.",
        status: 400,
      });
      expect(await count()).toBe(before);
    },
  );

  test("is ignored where nothing is posted", async () => {
    const name = newName();
    for (const limit of [1, 2]) {
      const answer = await call(`/v1/pets?limit=${limit}`, { headers: { "idempotency-key": name } });
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, null]);
    }
  });

  test("leaves nothing behind in a store that is in service for longer", async () => {
    let time = now;
    await using other = await startService({ clock: () => time, tidyEveryMs: 5 });
    await other.client.call("/v1/pets", { body: rex, headers: { "idempotency-key": "a" } });
    const kept = async () => {
      return await other.store.transfer.count(recordTable);
    };
    await other.service.tidy();
    expect(await kept()).toBe(1);
    time += 24 * 3_600_000;
    while ((await kept()) !== 0) await Bun.sleep(1);
  });

  test("429 before anything is done, once as many are kept as may be; what was kept is still answered", async () => {
    const database = await makeDatabase(engine);
    await using other = await startServiceOn(
      database,
      { clock: () => now },
      { idempotencyLimits: { perFamily: 3, total: 9 } },
    );
    const send = (name?: string, rest: { key?: string; body?: unknown } = {}) =>
      other.client.call("/v1/pets", { body: rex, headers: name ? { "idempotency-key": name } : {}, ...rest });
    const { key, id } = await addKey(other.store, { scope: "admin", createdAt: now });
    const first = await send("a", { key });
    await other.client.call("/v1/store/orders/9/cancel", { method: "POST", headers: { "idempotency-key": "b" }, key });
    const rotated = await other.client.call(`/v1/keys/${id}/rotate`, {
      body: {},
      headers: { "idempotency-key": "c" },
      key,
    });
    const successor = (rotated.json as { key: string }).key;
    const refused = await other.client.call("/v1/pets", {
      body: rex,
      headers: { "idempotency-key": "d", prefer: "handling=strict" },
      key: successor,
    });
    expect(refused.json).toEqual({
      code: "TooManyRequests",
      message:
        "This key has made 3 requests with an Idempotency-Key in 24 hours, which is the limit. Wait before the next one, or send it without an Idempotency-Key.",
      status: 429,
    });
    expect(refused.headers.get("retry-after")).toBe("86400");
    expect(await recordsOf(other)).toHaveLength(3);
    expect(essence(await send("a", { key: successor }))).toEqual(essence(first));
    expect((await send("d")).status).toBe(201);
    expect((await send(undefined, { key })).status).toBe(201);
    expect(((await other.client.call("/v1/pets")).json as unknown[]).length).toBe(3);
  });

  test("a field that is null is not the same as one that is left out", async () => {
    const made = await call("/v1/keys", { body: { name: "till", scope: "read", expiresAt: "2999-01-01T00:00:00Z" } });
    const path = `${made.headers.get("location")}/rotate`;
    const headers = { "idempotency-key": newName() };
    expect((await call(path, { body: {}, headers })).status).toBe(201);
    expect((await call(path, { body: { expiresAt: null }, headers })).status).toBe(422);
  });

  test("a new key is nowhere in the store, also while it is kept for those who ask again", async () => {
    const answer = await call("/v1/keys", {
      body: { name: "till", scope: "read" },
      headers: { "idempotency-key": newName() },
    });
    const { key } = answer.json as { key: string };
    const values: Buffer[] = [];
    for (const table of tables) {
      for (const row of await service.store.transfer.read(table, undefined, 1000)) {
        for (const value of row) values.push(Buffer.from(value instanceof Uint8Array ? value : String(value)));
      }
    }
    expect(values.some((value) => value.includes(key))).toBe(false);
    expect(values.some((value) => value.includes(hashKey(key)))).toBe(true);
  });

  describe("a new key that is kept", () => {
    const kept = async (key?: string) => {
      await using other = await startService({ clock: () => now });
      const asking = key ?? (await addKey(other.store, { scope: "admin", createdAt: now })).key;
      const make = (headers: Record<string, string>) =>
        other.client.call("/v1/keys", { body: { name: "till", scope: "read" }, headers, key: asking });
      expect((await make({})).status).toBe(201);
      expect(await recordsOf(other)).toEqual([]);
      const { json } = await make({ "idempotency-key": "a" });
      const [text = ""] = await recordsOf(other);
      return { asking, made: (json as { key: string }).key, text };
    };

    test.each([
      ["the configured key", "a-key-for-tests-only"],
      ["a key of the store", undefined],
    ])("for %s is not opened by whoever has the database and guesses the key at once", async (_, configured) => {
      const { asking, made, text } = await kept(configured);
      const sealed = /"sealed": ?"([^"]+)"/.exec(text)?.[1] ?? "";
      expect(sealed).toStartWith(configured ? "v2.scrypt." : "v2.hkdf.");
      const guess = Buffer.from(hkdfSync("sha256", asking, "", "animal-store vault", 32));
      for (const part of [sealed, ...sealed.split(".")]) {
        const bytes = Buffer.from(part, "base64url");
        for (let start = 0; start < bytes.length; start++) {
          const nonce = bytes.subarray(start, start + 12);
          if (nonce.length < 12) break;
          // Without a look at the tag, which could not save it: the stream alone would give the key away.
          const stream = createDecipheriv("aes-256-ctr", guess, Buffer.concat([nonce, Buffer.from([0, 0, 0, 2])]));
          expect(stream.update(bytes.subarray(start + 28)).includes(made)).toBe(false);
        }
      }
    });

    test("keeps nobody waiting while its secret is made", async () => {
      await using other = await startService();
      let isMade = false;
      const making = other.client
        .call("/v1/keys", { body: { name: "till", scope: "read" }, headers: { "idempotency-key": "a" } })
        .then(() => {
          isMade = true;
        });
      let answered = 0;
      while (!isMade) {
        await other.client.call("/v1/pets");
        answered++;
      }
      await making;
      expect(answered).toBeGreaterThan(10);
    });
  });
});
