import { Database } from "bun:sqlite";
import { SQL } from "bun";

/** Runs a control in its own process: a bare server that only sends the bytes of a file, only runs a query, or only inserts an animal. */
const [kind = "", address = ""] = process.argv.slice(2);

const handlerFactories: Readonly<Record<string, () => (request: Request) => Response | Promise<Response>>> = {
  bytes() {
    const files = new Map<string, string>();
    return async (request) => {
      const { pathname } = new URL(request.url);
      const text = files.get(pathname) ?? (await Bun.file(address + pathname).text());
      files.set(pathname, text);
      return new Response(text, { headers: { "Content-Type": "application/json" } });
    };
  },
  "sqlite-query"() {
    const database = new Database(address, { readonly: true });
    const columns = "id, name, category_id AS categoryId, status";
    const selectPage = database.prepare(
      `SELECT ${columns} FROM pets WHERE status = 'available' AND id > ? ORDER BY id LIMIT 21`,
    );
    const selectOne = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
    return ({ url }) => {
      const lastSlash = url.lastIndexOf("/");
      const id = Number(url.slice(lastSlash + 1));
      const text = JSON.stringify(url.endsWith("page", lastSlash) ? selectPage.all(id) : selectOne.get(id));
      return new Response(text, { headers: { "Content-Type": "application/json" } });
    };
  },
  "postgres-query"() {
    const sql = openPostgres();
    return async ({ url }) => {
      const lastSlash = url.lastIndexOf("/");
      const id = url.slice(lastSlash + 1);
      const rows = url.endsWith("page", lastSlash)
        ? await sql`SELECT id, name, category_id, status FROM pets WHERE status = 'available' AND id > ${id} ORDER BY id LIMIT 21`
        : await sql`SELECT id, name, category_id, status FROM pets WHERE id = ${id}`;
      return Response.json(rows);
    };
  },
  "sqlite-create"() {
    const database = new Database(address, { readwrite: true });
    database.run("PRAGMA synchronous = FULL");
    const insert = database.prepare<{ id: number }, [string, number, string]>(
      "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id",
    );
    return async (request) => {
      const { name, categoryId, status = "available" } = (await request.json()) as NewPet;
      const row = insert.get(name, categoryId, status);
      return Response.json({ id: row?.id, name, categoryId, status }, { status: 201 });
    };
  },
  "postgres-create"() {
    const sql = openPostgres();
    return async (request) => {
      const { name, categoryId, status = "available" } = (await request.json()) as NewPet;
      const [row] =
        await sql`INSERT INTO pets (name, category_id, status) VALUES (${name}, ${categoryId}, ${status}) RETURNING id`;
      return Response.json({ id: Number(row.id), name, categoryId, status }, { status: 201 });
    };
  },
};

/** Opens a pool with as many connections as the service has by default. */
function openPostgres(): SQL {
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? "animal_store";
  url.searchParams.delete("schema");
  return new SQL({ url, max: 10, connection: { search_path: schema } });
}

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

const handler = handlerFactories[kind]?.();
if (!handler) throw new Error(`There is no control of the kind ${kind}.`);
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, reusePort: false, fetch: handler });
console.log(server.url.href);
