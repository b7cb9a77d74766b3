import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import elysia from "elysia/package.json";
import { listProcessTree, readCpu, readFirstLine, readOutput, readResidentMegabytes, waitUntil } from "./process.ts";

export const key = "a-key-for-benchmarks";
const projectFolder = join(import.meta.dir, "..");

export interface Target extends AsyncDisposable {
  readonly name: string;
  readonly url: URL;
  readonly pid: number;
  cpu(): number;
  memory(): number;
}

/** Starts the service with all features enabled, as users do. */
export async function startService(database: string, options: ServiceOptions = {}): Promise<Target> {
  const { runtimeArgs = [], environment = {}, log = "/dev/null", checkout = projectFolder } = options;
  const child = Bun.spawn(
    [process.execPath, ...runtimeArgs, "src/main.ts", "serve", "--port", "0", "--database", database],
    {
      cwd: checkout,
      env: { ...process.env, ANIMAL_STORE_API_KEY: key, ANONYMOUS_LIMIT: "999999999", ...environment },
      stdout: "pipe",
      // Writes a log line for every request, as in production.
      stderr: Bun.file(log),
    },
  );
  const url = new URL(/http:\S+(?=\/v1,)/.exec(await readFirstLine(child.stdout))?.[0] ?? "");
  return toTarget("animal-store", url, child);
}

export interface ServiceOptions {
  readonly runtimeArgs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: string;
  readonly checkout?: string | undefined;
}

export async function startControl(
  kind: string,
  address: string,
  environment: Record<string, string> = {},
): Promise<Target> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "control.ts"), kind, address], {
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  return toTarget("bare Bun", new URL(await readFirstLine(child.stdout)), child);
}

export async function startElysia(
  kind: "bare" | "like-ours",
  database: string,
  { environment = {}, log = "/dev/null" }: Omit<ServiceOptions, "runtimeArgs"> = {},
): Promise<Target> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "elysia.ts"), kind, database, key], {
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: Bun.file(log),
  });
  return toTarget("Elysia", new URL(await readFirstLine(child.stdout)), child);
}

/** Starts nginx, with one worker and a buffered log, to send files. Returns undefined if nginx is not installed. */
export async function startNginx(folder: string): Promise<Target | undefined> {
  const program = Bun.which("nginx") ?? Bun.which("/usr/sbin/nginx");
  if (!program) return undefined;
  const port = findFreePort();
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "nginx.conf"),
    // If this process runs as root, the worker of nginx must also run as root to read this process's files.
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; worker_processes 1; error_log ${folder}/error.log; pid ${folder}/pid;
     events { worker_connections 1024; }
     http {
       access_log ${folder}/access.log combined buffer=64k flush=1s;
       client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
       uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       sendfile on; tcp_nodelay on; keepalive_requests 100000000; default_type application/json;
       server { listen 127.0.0.1:${port}; root ${folder}; }
     }`,
  );
  const child = Bun.spawn([program, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = new URL(`http://127.0.0.1:${port}/`);
  await waitUntil("the first response of nginx", async () => (await fetch(url)).status > 0);
  return toTarget("nginx", url, child);
}

export function readVersions(): Record<string, string> {
  const nginx = Bun.which("nginx") ? Bun.spawnSync(["nginx", "-v"]).stderr.toString().trim() : "not installed";
  const processor = readOutput("sh", "-c", "grep -m1 'model name' /proc/cpuinfo | cut -d: -f2").trim();
  return {
    Bun: Bun.version,
    nginx: nginx.replace(/^.*nginx\//, ""),
    Elysia: elysia.version,
    system: [readOutput("uname", "-srm"), `${navigator.hardwareConcurrency} cores`, processor]
      .filter(Boolean)
      .join(", "),
  };
}

function toTarget(name: string, url: URL, child: Bun.Subprocess): Target {
  let pids = [child.pid];
  return {
    name,
    url,
    pid: child.pid,
    cpu() {
      if (name === "nginx") pids = listProcessTree(child.pid);
      return readCpu(pids);
    },
    memory: () => readResidentMegabytes(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

function findFreePort(): number {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  return server.port ?? 0;
}
