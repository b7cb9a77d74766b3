import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, killAndRemove, readGuideBlock } from "./external-program.ts";
import { findFreePort, prepareUser } from "./postgres.ts";
import { makeTemporaryFolder } from "./temporary.ts";

const pgBouncerPath = findProgram("pgbouncer");

export const poolerSkipReason = pgBouncerPath
  ? undefined
  : "there is no PgBouncer here: install it, or give its path in PGBOUNCER_PATH";
export const transactionPoolerSkipReason =
  poolerSkipReason ?? (supportsPreparedStatements() ? undefined : `${pgBouncerPath} is older than 1.21`);

function supportsPreparedStatements(): boolean {
  const { stdout } = spawnSync(pgBouncerPath ?? "", ["--version"], { encoding: "utf8" });
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
    const user = prepareUser(folder);
    const port = await findFreePort();
    const [usersFile, configFile] = [join(folder, "userlist.txt"), join(folder, "pgbouncer.ini")];
    writeFileSync(usersFile, '"postgres" "secret"\n');
    writeFileSync(
      configFile,
      createConfiguration({
        store: undefined,
        "*": `host=127.0.0.1 port=${server.port}`,
        listen_addr: "127.0.0.1",
        listen_port: String(port),
        auth_file: usersFile,
        unix_socket_dir: "",
        ...(transactionPoolerSkipReason && { max_prepared_statements: undefined }),
        ...changes,
      }),
    );
    const child = spawn(pgBouncerPath ?? "", [configFile], { ...user, stdio: ["ignore", "ignore", "pipe"] });
    await untilUp(child);
    return new PgBouncer(port, folder, child);
  }

  urlThrough(url: string): string {
    const pooledUrl = new URL(url);
    pooledUrl.username = "postgres";
    pooledUrl.password = "secret";
    pooledUrl.port = String(this.port);
    return pooledUrl.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAndRemove(this.process, this.folder);
  }
}

function createConfiguration(changes: Readonly<Record<string, string | undefined>>): string {
  const block = readGuideBlock("pgbouncer.md", /^```ini\n(\[databases\][^`]*)```$/m);
  let [databases = "", pooler = ""] = block.split("[pgbouncer]\n");
  for (const [name, value] of Object.entries(changes)) {
    const linePattern = new RegExp(`^${RegExp.escape(name)} = .*\n`, "m");
    const isDatabase = name === "*" || linePattern.test(databases);
    const changedSection =
      (isDatabase ? databases : pooler).replace(linePattern, "") + (value === undefined ? "" : `${name} = ${value}\n`);
    if (isDatabase) databases = changedSection;
    else pooler = changedSection;
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
