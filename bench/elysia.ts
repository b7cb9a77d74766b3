import { Database } from "bun:sqlite";
import { Elysia, t } from "elysia";

/**
 * Three operations of the service, written with Elysia, the fastest web framework for Bun, in Elysia's usual style. `bare` has nothing
 * else; `like-ours` also has the service's API keys, entity tags, request ids, `Link` headers and log. Neither program has a page cache,
 * deadlines, idempotency or error bodies.
 */
const [kind = "", path = "", key = ""] = process.argv.slice(2);

const database = new Database(path, { readwrite: true });
database.run("PRAGMA synchronous = FULL");
const columns = "id, name, category_id AS categoryId, status";
const selectPage = database.prepare<Pet, [string, number, number]>(
  `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
);
const selectPet = database.prepare<Pet, [number]>(`SELECT ${columns} FROM pets WHERE id = ?`);
const insertPet = database.prepare<Pet, [string, number, string]>(
  `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
);

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const status = t.UnionEnum(["available", "pending", "sold"]);
const listSchema = {
  query: t.Object({
    status,
    limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
    cursor: t.Integer({ default: 0 }),
  }),
};
const idSchema = { params: t.Object({ petId: t.Integer() }) };
const createSchema = {
  body: t.Object({
    name: t.String({ minLength: 1, maxLength: 255 }),
    categoryId: t.Integer(),
    status: t.Optional(status),
  }),
};

const createBareApp = () =>
  new Elysia()
    .get("/v1/pets", ({ query }) => selectPage.all(query.status, query.cursor, query.limit), listSchema)
    .get("/v1/pets/:petId", ({ params, status }) => selectPet.get(params.petId) ?? status(404), idSchema)
    .post(
      "/v1/pets",
      ({ body, status }) => status(201, insertPet.get(body.name, body.categoryId, body.status ?? "available")),
      createSchema,
    );

const createAppLikeOurs = () => {
  const hash = (text: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(text);
  const keyDigests = new Set([hash(key).digest("hex")]);
  const log = Bun.stderr.writer({ highWaterMark: 64 * 1024 });
  const renderJson = (value: unknown, headers: Record<string, string | number>, request: Request) => {
    const text = JSON.stringify(value);
    const etag = `"${hash(text).digest("base64url")}"`;
    headers["ETag"] = etag;
    headers["Cache-Control"] = "private, no-cache";
    headers["Content-Type"] = "application/json";
    return request.headers.get("if-none-match") === etag ? new Response(null, { status: 304 }) : text;
  };
  return new Elysia()
    .derive(({ request }) => ({
      start: performance.now(),
      requestId: request.headers.get("x-request-id") ?? crypto.randomUUID(),
    }))
    .onBeforeHandle(({ headers, set, status, requestId }) => {
      set.headers["X-Request-Id"] = requestId;
      const token = headers["authorization"]?.replace(/^Bearer /, "");
      return token && keyDigests.has(hash(token).digest("hex")) ? undefined : status(401);
    })
    .onAfterResponse(({ request, path, set, start, requestId }) => {
      const milliseconds = performance.now() - start;
      const time = new Date().toISOString();
      const line = { time, level: "info", requestId, method: request.method, path, status: set.status, milliseconds };
      log.write(`${JSON.stringify(line)}\n`);
    })
    .get(
      "/v1/pets",
      ({ query, request, set }) => {
        const pets = selectPage.all(query.status, query.cursor, query.limit + 1);
        const listPath = `/v1/pets?status=${query.status}&limit=${query.limit}`;
        const links = [`<${listPath}>; rel="first"`];
        if (pets.length > query.limit) {
          pets.pop();
          links.push(`<${listPath}&cursor=${pets.at(-1)?.id}>; rel="next"`);
        }
        set.headers["Link"] = links.join(", ");
        return renderJson(pets, set.headers as Record<string, string>, request);
      },
      listSchema,
    )
    .get(
      "/v1/pets/:petId",
      ({ params, request, set, status }) => {
        const pet = selectPet.get(params.petId);
        return pet ? renderJson(pet, set.headers as Record<string, string>, request) : status(404);
      },
      idSchema,
    )
    .post(
      "/v1/pets",
      ({ body, request, set }) => {
        const pet = insertPet.get(body.name, body.categoryId, body.status ?? "available");
        set.status = 201;
        set.headers["Location"] = `/v1/pets/${pet?.id}`;
        return renderJson(pet, set.headers as Record<string, string>, request);
      },
      createSchema,
    );
};

const app = kind === "bare" ? createBareApp() : createAppLikeOurs();
app.listen({ hostname: "127.0.0.1", port: 0 });
console.log(app.server?.url.href);
