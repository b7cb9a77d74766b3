import { afterAll, describe, expect, test } from "bun:test";
import { createDecipheriv, hkdfSync } from "node:crypto";
import { hashKey } from "../../src/domain/key-secret.ts";
import { recordTable, tables } from "../../src/store/tables.ts";
import { engine, makeDatabase } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { errorBody, startService, startServiceOn, type TestService } from "../support/service.ts";

let now = Date.parse("2026-11-15T10:00:00Z");
const service = await startService({ clock: () => now });
afterAll(() => service[Symbol.asyncDispose]());

const call: TestService["client"]["call"] = (path, options) => service.client.call(path, options);
const rex = { name: "Rex", categoryId: 7 };
let nameCount = 0;
const newName = () => `name-${nameCount++}`;
const create = (name: string, body: unknown = rex, rest: { key?: string } = {}) =>
  call("/v1/pets", { body, headers: { "idempotency-key": name }, ...rest });
const count = async () => {
  const { json } = await call("/v1/store/inventory");
  return Object.values(json as Record<string, number>).reduce((sum, one) => sum + one);
};

const readStoredOutcomes = async ({ store }: TestService) => {
  const rows = await store.transfer.read(recordTable, undefined, 10);
  return rows.map(([, , outcome]) => String(outcome));
};

/** Returns the parts of a response that must be equal for a repeated request. */
const comparableParts = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) => [
  status,
  text,
  headers.get("location"),
  headers.get("etag"),
  headers.get("content-type"),
];

test("a repeated request is not executed again, and gets the same bytes", async () => {
  const name = newName();
  const first = await create(name, '{"name":"Rex","categoryId":9223372036854775807}');
  expect(first.status).toBe(201);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  const before = await count();
  for (let round = 0; round < 3; round++) {
    const again = await create(name, '{"name":"Rex","categoryId":9223372036854775807}');
    expect(comparableParts(again)).toEqual(comparableParts(first));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  }
  expect(await count()).toBe(before);
});

test.each([
  ["white space", '{ "name": "Rex",\n "categoryId": 7 }'],
  ["another order of the fields", '{"categoryId":7,"name":"Rex"}'],
  ["other escapes and number formats", '{"name":"\\u0052ex","categoryId":7.0}'],
  ["an explicit default", '{"name":"Rex","categoryId":7,"status":"available"}'],
  ["an unknown field", '{"name":"Rex","categoryId":7,"colour":"red"}'],
])("a request counts as repeated although its body has %s and its Idempotency-Key is in quotes", async (_, body) => {
  const name = newName();
  const first = await create(name);
  expect(comparableParts(await create(`"${name}"`, body))).toEqual(comparableParts(first));
});

test("the same Idempotency-Key with another body gets 422 and changes nothing", async () => {
  const name = newName();
  await create(name);
  const before = await count();
  for (const body of [
    { ...rex, name: "Max" },
    { ...rex, status: "sold" },
    { ...rex, categoryId: 8 },
  ]) {
    expect((await create(name, body)).json).toEqual(
      errorBody(
        422,
        "UnprocessableContent",
        "This Idempotency-Key was used for another request. Send a new one, or repeat the original request.",
      ),
    );
  }
  expect(await count()).toBe(before);
});

test("requests with the same Idempotency-Key are independent if their API keys or operations differ", async () => {
  const name = newName();
  const mine = await create(name);
  const { key } = await addKey(service.store, { scope: "write" });
  const theirs = await create(name, rex, { key });
  expect(theirs.text).not.toBe(mine.text);
  const { id: petId } = mine.json as { id: number };
  const order = await call("/v1/store/orders", { body: { petId }, headers: { "idempotency-key": name } });
  expect(order.status).toBe(201);
});

describe("an Idempotency-Key belongs to the key family", () => {
  const rotateKey = async (id: number) => {
    const { json } = await call(`/v1/keys/${id}/rotate`, { method: "POST" });
    return json as { id: number; key: string };
  };

  test("a request that is repeated after its API key was rotated is not executed again", async () => {
    const name = newName();
    const first = await addKey(service.store, { scope: "write", createdAt: now });
    const created = await create(name, rex, { key: first.key });
    const before = await count();
    const second = await rotateKey(first.id);
    const third = await rotateKey(second.id);
    for (const { key } of [third, second, first]) {
      const again = await create(name, rex, { key });
      expect(comparableParts(again)).toEqual(comparableParts(created));
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    expect((await create(name, { ...rex, name: "Max" }, { key: third.key })).status).toBe(422);
    expect(await count()).toBe(before);
  });

  test.each(["create", "rotate"])(
    "a repeated request for a new key shows the key only to the API key that created it: %s",
    async (action) => {
      const requester = await addKey(service.store, { scope: "admin", createdAt: now });
      const till = await addKey(service.store, { scope: "write", createdAt: now });
      const send = (key: string) =>
        call(action === "create" ? "/v1/keys" : `/v1/keys/${till.id}/rotate`, {
          body: action === "create" ? { name: "till", scope: "write" } : {},
          headers: { "idempotency-key": `show-${action}` },
          key,
        });
      const created = await send(requester.key);
      const { id } = created.json as { id: number };
      const successor = await rotateKey(requester.id);
      const refused = await send(successor.key);
      expect(refused.json).toEqual(
        errorBody(
          422,
          "UnprocessableContent",
          `Key ${id} was already created by this request, and is shown only to the key that requested it. Send the request with that key, or revoke key ${id} and create another one with a new Idempotency-Key.`,
        ),
      );
      expect(refused.headers.get("idempotent-replayed")).toBe("true");
      expect((await send(requester.key)).text).toBe(created.text);
      expect((await call(`/v1/keys/${successor.id + 1}`)).status).toBe(404);
    },
  );

  test.each(["create", "rotate"])(
    "a repeated request gets the first response again, even if it would now be refused: %s",
    async (action) => {
      const requester = await addKey(service.store, { scope: "admin", createdAt: now });
      const till = await addKey(service.store, { scope: "write", createdAt: now });
      const expiresAt = new Date(now + 3_600_000).toISOString();
      const send = (key: string) =>
        call(action === "create" ? "/v1/keys" : `/v1/keys/${till.id}/rotate`, {
          body: action === "create" ? { name: "till", scope: "write", expiresAt } : { expiresAt },
          headers: { "idempotency-key": `rules-${action}` },
          key,
        });
      const created = await send(requester.key);
      expect(created.status).toBe(201);
      // The rotation needs another admin key that does not expire, because the successor expires.
      await addKey(service.store, { scope: "admin", createdAt: now });
      const end = new Date(now + 1_800_000).toISOString();
      const rotated = await call(`/v1/keys/${requester.id}/rotate`, { body: { expiresAt: end } });
      expect(rotated.status).toBe(201);
      const again = await send((rotated.json as { key: string }).key);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([422, "true"]);
      // The new key has expired by now, but its stored outcome is still returned.
      now += 3_600_001;
      expect(comparableParts(await send(requester.key))).toEqual(comparableParts(created));
    },
  );

  test.each([
    ["a key that expires too soon", 403, { name: "till", scope: "write" }],
    ["an expiry in the past", 400, { name: "till", scope: "write", expiresAt: "2026-11-15T09:00:00Z" }],
  ])("a refusal because of %s is not stored", async (_, status, body) => {
    const name = newName();
    const requester = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + 60_000 });
    const send = () => call("/v1/keys", { body, headers: { "idempotency-key": name }, key: requester.key });
    for (let round = 0; round < 2; round++) {
      const refused = await send();
      expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([status, null]);
    }
    const other = { ...body, expiresAt: new Date(now + 1000).toISOString() };
    const created = await call("/v1/keys", { body: other, headers: { "idempotency-key": name }, key: requester.key });
    expect(created.status).toBe(201);
  });
});

test("a repeated request gets 409 while the first is in progress, and its response afterwards", async () => {
  const name = newName();
  const before = await count();
  const responses = await Promise.all(Array.from({ length: 20 }, () => create(name)));
  const [created = [], ...others] = [...new Map(responses.map((response) => [response.status, response])).values()]
    .sort((one, other) => one.status - other.status)
    .map(comparableParts);
  expect(created[0]).toBe(201);
  expect(others.map(([status, text]) => [status, text])).toEqual([
    [
      409,
      '{"code":"Conflict","message":"A request with this Idempotency-Key is still in progress. Send it again in a moment.","status":409}',
    ],
  ]);
  for (const { status, headers } of responses) if (status === 409) expect(headers.get("retry-after")).toBe("1");
  for (const response of responses) if (response.status === 201) expect(comparableParts(response)).toEqual(created);
  expect(comparableParts(await create(name))).toEqual(created);
  expect(await count()).toBe(before + 1);
});

test("an error caused by the current state is stored, but an error caused by the input is not", async () => {
  const name = newName();
  const place = () => call("/v1/store/orders", { body: { petId: 999_999 }, headers: { "idempotency-key": name } });
  const first = await place();
  const again = await place();
  expect(first.status).toBe(409);
  expect(comparableParts(again)).toEqual(comparableParts(first));
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const other = newName();
  expect((await create(other, { name: "" })).status).toBe(400);
  expect((await create(other)).status).toBe(201);
});

test("an Idempotency-Key works for each POST that places, cancels or completes an order, or creates, rotates or revokes a key", async () => {
  const { headers } = await create(newName());
  const petId = Number(headers.get("location")?.split("/").at(-1));
  const sendTwice = async (path: string, body?: unknown) => {
    const options = { method: "POST", body, headers: { "idempotency-key": newName() } };
    const first = await call(path, options);
    now += 60_000;
    const again = await call(path, options);
    expect(comparableParts(again)).toEqual(comparableParts(first));
    expect([first, again].map((response) => response.headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    return first;
  };
  const placed = await sendTwice("/v1/store/orders", { petId });
  const order = placed.headers.get("location");
  expect((await sendTwice(`${order}/cancel`)).json).toMatchObject({ status: "cancelled" });
  const second = await sendTwice("/v1/store/orders", { petId });
  expect((await sendTwice(`${second.headers.get("location")}/complete`)).json).toMatchObject({ status: "completed" });
  const created = await sendTwice("/v1/keys", { name: "till", scope: "read" });
  expect(created.status).toBe(201);
  const { id, key } = created.json as { id: number; key: string };
  expect((await call("/v1/pets", { key })).status).toBe(200);
  const rotated = await sendTwice(`/v1/keys/${id}/rotate`, { overlapSeconds: 60 });
  expect(rotated.status).toBe(201);
  expect((await call("/v1/pets", { key: (rotated.json as { key: string }).key })).status).toBe(200);
  expect((await sendTwice(`/v1/keys/${id}/revoke`)).json).toMatchObject({ state: "revoked" });
});

test("an Idempotency-Key for completing one order cannot be used for another order", async () => {
  const options = { method: "POST", headers: { "idempotency-key": newName() } };
  expect((await call("/v1/store/orders/999998/complete", options)).status).toBe(404);
  expect((await call("/v1/store/orders/999999/complete", options)).status).toBe(422);
});

test("an idempotency record is kept for 24 hours, and then removed", async () => {
  const name = newName();
  const first = await create(name);
  now += 24 * 3_600_000 - 1;
  expect(comparableParts(await create(name))).toEqual(comparableParts(first));
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
])("%p is a valid Idempotency-Key", async (name) => {
  expect((await create(name)).status).toBe(201);
});

test.each([[""], ["x".repeat(256)], [`"${"x".repeat(256)}"`], ["a b"], ['"'], ['a"b'], ["é"], ['""'], ['"a']])(
  "%p is not a valid Idempotency-Key and gets 400",
  async (name) => {
    const before = await count();
    expect((await create(name)).json).toEqual(
      errorBody(
        400,
        "BadRequest",
        "Idempotency-Key must be given once, as 1 to 255 printable ASCII characters without spaces and double quotes.",
      ),
    );
    expect(await count()).toBe(before);
  },
);

test("an Idempotency-Key is ignored unless the method is POST", async () => {
  const name = newName();
  for (const limit of [1, 2]) {
    const response = await call(`/v1/pets?limit=${limit}`, { headers: { "idempotency-key": name } });
    expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([200, null]);
  }
});

test("idempotency records do not accumulate in a long-running store", async () => {
  let time = now;
  await using other = await startService({ clock: () => time, tidyEveryMs: 5 });
  await other.client.call("/v1/pets", { body: rex, headers: { "idempotency-key": "a" } });
  const countRecords = async () => {
    return await other.store.transfer.count(recordTable);
  };
  await other.service.tidy();
  expect(await countRecords()).toBe(1);
  time += 24 * 3_600_000;
  while ((await countRecords()) !== 0) await Bun.sleep(1);
});

test("a key with the maximum number of idempotency records gets 429, and stored outcomes are still returned", async () => {
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
  expect(refused.json).toEqual(
    errorBody(
      429,
      "TooManyRequests",
      "This key has made 3 requests with an Idempotency-Key in 24 hours, which is the limit. Wait before the next one, or send it without an Idempotency-Key.",
    ),
  );
  expect(refused.headers.get("retry-after")).toBe("86400");
  expect(await readStoredOutcomes(other)).toHaveLength(3);
  expect(comparableParts(await send("a", { key: successor }))).toEqual(comparableParts(first));
  expect((await send("d")).status).toBe(201);
  expect((await send(undefined, { key })).status).toBe(201);
  expect(((await other.client.call("/v1/pets")).json as unknown[]).length).toBe(3);
});

test("two requests with one Idempotency-Key are different if a field is null in one and omitted in the other", async () => {
  const created = await call("/v1/keys", { body: { name: "till", scope: "read", expiresAt: "2999-01-01T00:00:00Z" } });
  const path = `${created.headers.get("location")}/rotate`;
  const headers = { "idempotency-key": newName() };
  expect((await call(path, { body: {}, headers })).status).toBe(201);
  expect((await call(path, { body: { expiresAt: null }, headers })).status).toBe(422);
});

test("a new key is never stored in plain text, even while repeated requests can get it", async () => {
  const response = await call("/v1/keys", {
    body: { name: "till", scope: "read" },
    headers: { "idempotency-key": newName() },
  });
  const { key } = response.json as { key: string };
  const values: Buffer[] = [];
  for (const table of tables) {
    for (const row of await service.store.transfer.read(table, undefined, 1000)) {
      for (const value of row) values.push(Buffer.from(value instanceof Uint8Array ? value : String(value)));
    }
  }
  expect(values.some((value) => value.includes(key))).toBe(false);
  expect(values.some((value) => value.includes(hashKey(key)))).toBe(true);
});

describe("the stored outcome of a new key", () => {
  const createKeyTwice = async (key?: string) => {
    await using other = await startService({ clock: () => now });
    const requester = key ?? (await addKey(other.store, { scope: "admin", createdAt: now })).key;
    const make = (headers: Record<string, string>) =>
      other.client.call("/v1/keys", { body: { name: "till", scope: "read" }, headers, key: requester });
    expect((await make({})).status).toBe(201);
    expect(await readStoredOutcomes(other)).toEqual([]);
    const { json } = await make({ "idempotency-key": "a" });
    const [text = ""] = await readStoredOutcomes(other);
    return { requester, newKey: (json as { key: string }).key, text };
  };

  test.each([
    ["the configured key", "a-key-for-tests-only"],
    ["a key of the store", undefined],
  ])("a stored outcome of %s cannot be decrypted with a quickly derived key", async (_, configured) => {
    const { requester, newKey, text } = await createKeyTwice(configured);
    const sealed = /"sealed": ?"([^"]+)"/.exec(text)?.[1] ?? "";
    expect(sealed).toStartWith(configured ? "v2.scrypt." : "v2.hkdf.");
    const guess = Buffer.from(hkdfSync("sha256", requester, "", "animal-store vault", 32));
    for (const part of [sealed, ...sealed.split(".")]) {
      const bytes = Buffer.from(part, "base64url");
      for (let start = 0; start < bytes.length; start++) {
        const nonce = bytes.subarray(start, start + 12);
        if (nonce.length < 12) break;
        const stream = createDecipheriv("aes-256-ctr", guess, Buffer.concat([nonce, Buffer.from([0, 0, 0, 2])]));
        expect(stream.update(bytes.subarray(start + 28)).includes(newKey)).toBe(false);
      }
    }
  });

  test("deriving the key that encrypts a stored outcome does not block other requests", async () => {
    await using other = await startService();
    let isCreated = false;
    const creation = other.client
      .call("/v1/keys", { body: { name: "till", scope: "read" }, headers: { "idempotency-key": "a" } })
      .then(() => {
        isCreated = true;
      });
    let responseCount = 0;
    while (!isCreated) {
      await other.client.call("/v1/pets");
      responseCount++;
    }
    await creation;
    expect(responseCount).toBeGreaterThan(10);
  });
});
