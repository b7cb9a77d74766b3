import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, killAndRemove, readGuideBlock } from "./external-program.ts";
import { freePort, userFor } from "./postgres.ts";
import { makeTemporaryFolder } from "./temporary.ts";

const path = findProgram("pgbouncer");

export const poolerSkipReason = path
  ? undefined
  : "there is no PgBouncer here: install it, or give its path in PGBOUNCER_PATH";
export const transactionPoolerSkipReason =
  poolerSkipReason ?? (supportsPreparedStatements() ? undefined : `${path} is older than 1.21`);

function supportsPreparedStatements(): boolean {
  const { stdout } = spawnSync(path ?? "", ["--version"], { encoding: "utf8" });
  const [, major = 0, minor = 0] = (/^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  return major > 1 || (major === 1 && minor >= 21);
}

export class PgBouncer implements AsyncDisposable {
  private constructor(
    readonly port: number,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  /** Starts PgBouncer. `changes` replace settings of the guide. */
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
        ...(transactionPoolerSkipReason && { max_prepared_statements: undefined }),
        ...changes,
      }),
    );
    const child = spawn(path ?? "", [file], { ...user, stdio: ["ignore", "ignore", "pipe"] });
    await untilUp(child);
    return new PgBouncer(port, folder, child);
  }

  urlThrough(url: string): string {
    const pooled = new URL(url);
    pooled.username = "postgres";
    pooled.password = "secret";
    pooled.port = String(this.port);
    return pooled.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAndRemove(this.process, this.folder);
  }
}

function configure(changes: Readonly<Record<string, string | undefined>>): string {
  const block = readGuideBlock("pgbouncer.md", /^```ini\n(\[databases\][^`]*)```$/m);
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
