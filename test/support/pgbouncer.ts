import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, userFor } from "./postgres.ts";
import { projectFolder } from "./program.ts";
import { makeTemporaryFolder } from "./temporary.ts";

/** Debian puts it where only root looks for programs. */
const places = [process.env["PGBOUNCER_PATH"], Bun.which("pgbouncer"), "/usr/sbin/pgbouncer"];
const path = places.find((place) => place && existsSync(place));

const firstWithStatements = [1, 21];

/** Why no test can use PgBouncer here, or none that needs prepared statements; empty if they can. */
export const noPooler = path ? "" : "there is no PgBouncer here: install it, or give its path in PGBOUNCER_PATH";
export const noTransactionPooler = noPooler || (keepsStatements() ? "" : `${path} is older than 1.21`);

function keepsStatements(): boolean {
  const { stdout } = spawnSync(path ?? "", ["--version"], { encoding: "utf8" });
  const [, major, minor] = (/^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  const [needed = 0, neededMinor = 0] = firstWithStatements;
  return (major ?? 0) > needed || (major === needed && (minor ?? 0) >= neededMinor);
}

/** A real PgBouncer, set up as the guide says, in front of a PostgreSQL server. */
export class PgBouncer implements AsyncDisposable {
  private constructor(
    readonly port: number,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  /** `changes` are settings of its own in the place of the guide's. */
  static async start(
    server: { readonly port: number },
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PgBouncer> {
    const folder = makeTemporaryFolder("pgbouncer");
    const user = userFor(folder);
    const port = await freePort();
    const [users, file] = [join(folder, "userlist.txt"), join(folder, "pgbouncer.ini")];
    writeFileSync(users, '"postgres" "secret"\n');
    writeFileSync(
      file,
      configure({
        store: undefined,
        "*": `host=127.0.0.1 port=${server.port}`,
        listen_addr: "127.0.0.1",
        listen_port: String(port),
        auth_file: users,
        unix_socket_dir: "",
        ...(noTransactionPooler && { max_prepared_statements: undefined }),
        ...changes,
      }),
    );
    const child = spawn(path ?? "", [file], { ...user, stdio: ["ignore", "ignore", "pipe"] });
    await untilUp(child);
    return new PgBouncer(port, folder, child);
  }

  /** The address of a server's database, behind this. */
  in(url: string): string {
    const behind = new URL(url);
    behind.username = "postgres";
    behind.password = "secret";
    behind.port = String(this.port);
    return behind.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The settings of the guide, with changes. */
function configure(changes: Readonly<Record<string, string | undefined>>): string {
  const text = readFileSync(join(projectFolder, "docs/scaling.md"), "utf8");
  const [, block] = /^```ini\n(\[databases\][^`]*)```$/m.exec(text) ?? [];
  if (!block) throw new Error("The guide has no settings for PgBouncer.");
  let [databases = "", pooler = ""] = block.split("[pgbouncer]\n");
  for (const [name, value] of Object.entries(changes)) {
    const line = new RegExp(`^${RegExp.escape(name)} = .*\n`, "m");
    const isDatabase = name === "*" || line.test(databases);
    const changed =
      (isDatabase ? databases : pooler).replace(line, "") + (value === undefined ? "" : `${name} = ${value}\n`);
    if (isDatabase) databases = changed;
    else pooler = changed;
  }
  return `${databases}[pgbouncer]\n${pooler}`;
}

async function untilUp(pooler: ChildProcess): Promise<void> {
  let log = "";
  await new Promise<void>((resolve, reject) => {
    pooler.stderr?.on("data", (chunk: Buffer) => {
      log += chunk;
      if (/process up/.test(log)) resolve();
    });
    pooler.once("error", reject);
    pooler.once("exit", () => reject(new Error(`PgBouncer did not start: ${log}`)));
  });
}
