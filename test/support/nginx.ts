import { expect } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "./client.ts";
import { findProgram, killAndRemove, readGuideBlock } from "./external-program.ts";
import { findFreePort } from "./postgres.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { pause } from "./wait.ts";

const nginxPath = findProgram("nginx");

export const nginxSkipReason = nginxPath
  ? undefined
  : "there is no nginx here: install it (the package nginx of Debian, Ubuntu and Homebrew), or give its path in NGINX_PATH";

export class Nginx implements AsyncDisposable {
  private constructor(
    readonly url: URL,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  static async start(service: URL): Promise<Nginx> {
    const folder = makeTemporaryFolder("nginx");
    const url = new URL(`http://127.0.0.1:${await findFreePort()}`);
    const file = join(folder, "nginx.conf");
    writeFileSync(file, createConfiguration(url, service, folder));
    const log = openSync(join(folder, "log"), "w");
    const child = spawn(nginxPath ?? "", ["-p", folder, "-c", file, "-e", "stderr"], { stdio: ["ignore", log, log] });
    while (!(await acceptsConnections(url))) {
      if (child.exitCode !== null) throw new Error(`nginx did not start: ${readFileSync(join(folder, "log"), "utf8")}`);
      await pause();
    }
    return new Nginx(url, folder, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAndRemove(this.process, this.folder);
  }
}

async function acceptsConnections({ hostname, port }: URL): Promise<boolean> {
  const connecting = Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
  return await connecting.then(
    (socket) => {
      socket.terminate();
      return true;
    },
    () => false,
  );
}

/** Returns the guide's configuration with local addresses, without TLS, and with compression. */
function createConfiguration(ownUrl: URL, service: URL, folder: string): string {
  const block = readGuideBlock("running.md", /^```nginx\n([^`]*)```$/m);
  const http = block
    .replace("server 127.0.0.1:8080;", `server ${service.host};`)
    .replace("listen 443 ssl;", `listen ${ownUrl.host};`);
  const tempPathDirectives = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(" ");
  // A single process leaves no workers behind when it is killed.
  return `daemon off; master_process off; pid ${join(folder, "pid")}; events {}
http { access_log off; gzip on; gzip_types text/plain application/json; ${tempPathDirectives}
${http} }`;
}

/** A client that expects nginx's `Server` header in every response. */
export class NginxClient extends Client {
  override async check(method: string, path: string, status: number, headers: Headers, text: string) {
    const withoutServer = new Headers(headers);
    expect(withoutServer.get("server")).toStartWith("nginx");
    withoutServer.delete("server");
    return await super.check(method, path, status, withoutServer, text);
  }
}
