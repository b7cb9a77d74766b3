import { Database } from "bun:sqlite";
import { SQL } from "bun";

/**
 * What the service is held against, in a process of its own: a bare server of the same runtime that sends the bytes of a
 * file, one that asks the database the same without anything else that the service does, and one that makes each write a
 * transaction or a statement of its own.
 */
const [kind = "", where = ""] = process.argv.slice(2);

const handlers: Readonly<Record<string, () => (request: Request) => Response | Promise<Response>>> = {
  bytes() {
    const files = new Map<string, string>();
    return async (request) => {
      const { pathname } = new URL(request.url);
      const text = files.get(pathname) ?? (await Bun.file(where + pathname).text());
      files.set(pathname, text);
      return new Response(text, { headers: { "Content-Type": "application/json" } });
    };
  },
  query() {
    const database = new Database(where, { readonly: true });
    const columns = "id, name, category_id AS categoryId, status";
    const page = database.prepare(
      `SELECT ${columns} FROM pets WHERE status = 'available' AND id > ? ORDER BY id LIMIT 21`,
    );
    const one = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
    return ({ url }) => {
      const end = url.lastIndexOf("/");
      const id = Number(url.slice(end + 1));
      const text = JSON.stringify(url.endsWith("page", end) ? page.all(id) : one.get(id));
      return new Response(text, { headers: { "Content-Type": "application/json" } });
    };
  },
  sqlite() {
    const database = new Database(where, { create: true });
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    database.run(
      "CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, category_id INTEGER, status TEXT)",
    );
    const insert = database.prepare<{ id: number }, [string, number, string]>(
      "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id",
    );
    return async (request) => {
      const { name, categoryId, status = "available" } = (await request.json()) as NewPet;
      const row = insert.get(name, categoryId, status);
      return Response.json({ id: row?.id, name, categoryId, status }, { status: 201 });
    };
  },
  postgres() {
    const sql = new SQL({ url: where, max: 10 });
    const ready = sql.unsafe(
      "CREATE TABLE IF NOT EXISTS single (id bigserial PRIMARY KEY, name text, category_id bigint, status text)",
    );
    return async (request) => {
      await ready;
      const { name, categoryId, status = "available" } = (await request.json()) as NewPet;
      const [row] =
        await sql`INSERT INTO single (name, category_id, status) VALUES (${name}, ${categoryId}, ${status}) RETURNING id`;
      return Response.json({ id: Number(row.id), name, categoryId, status }, { status: 201 });
    };
  },
};

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

const handler = handlers[kind]?.();
if (!handler) throw new Error(`There is no control of the kind ${kind}.`);
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, reusePort: false, fetch: handler });
console.log(server.url.href);
