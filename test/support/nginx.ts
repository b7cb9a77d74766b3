import { expect } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, Client } from "./client.ts";
import { freePort } from "./postgres.ts";
import { projectFolder } from "./program.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { pause } from "./wait.ts";

/** Debian puts it where only root looks for programs. */
const places = [process.env["NGINX_PATH"], Bun.which("nginx"), "/usr/sbin/nginx"];
const path = places.find((place) => place && existsSync(place));

/** Why no test can use nginx here; undefined if they can. */
export const withoutNginx = path
  ? undefined
  : "there is no nginx here: install it (the package nginx of Debian, Ubuntu and Homebrew), or give its path in NGINX_PATH";

/** A real nginx, set up as the guide says, in front of a service. */
export class Nginx implements AsyncDisposable {
  private constructor(
    readonly url: URL,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  static async start(service: URL): Promise<Nginx> {
    const folder = makeTemporaryFolder("nginx");
    const url = new URL(`http://127.0.0.1:${await freePort()}`);
    const file = join(folder, "nginx.conf");
    writeFileSync(file, configure(url, service, folder));
    const log = openSync(join(folder, "log"), "w");
    const child = spawn(path ?? "", ["-p", folder, "-c", file, "-e", "stderr"], { stdio: ["ignore", log, log] });
    while (!(await accepts(url))) {
      if (child.exitCode !== null) throw new Error(`nginx did not start: ${readFileSync(join(folder, "log"), "utf8")}`);
      await pause();
    }
    return new Nginx(url, folder, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function accepts({ hostname, port }: URL): Promise<boolean> {
  const opening = Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
  return await opening.then(
    (socket) => {
      socket.terminate();
      return true;
    },
    () => false,
  );
}

/** The configuration of the guide, with the addresses of this machine in it, without TLS, and with what it compresses. */
function configure(own: URL, service: URL, folder: string): string {
  const text = readFileSync(join(projectFolder, "docs/running.md"), "utf8");
  const [, block] = /^```nginx\n([^`]*)```$/m.exec(text) ?? [];
  if (!block) throw new Error("The guide has no configuration of nginx.");
  const http = block
    .replace("server 127.0.0.1:8080;", `server ${service.host};`)
    .replace("listen 443 ssl;", `listen ${own.host};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(" ");
  // In one process, so that nothing is left of it when it is ended.
  return `daemon off; master_process off; pid ${join(folder, "pid")}; events {}
http { access_log off; gzip on; gzip_types text/plain application/json; ${temporary}
${http} }`;
}

/** A client of the service behind nginx, which names itself with every response, as the service does not. */
export class ThroughNginx extends Client {
  override async check(method: string, path: string, status: number, headers: Headers, text: string): Promise<Answer> {
    const ofService = new Headers(headers);
    expect(ofService.get("server")).toStartWith("nginx");
    ofService.delete("server");
    return await super.check(method, path, status, ofService, text);
  }
}
