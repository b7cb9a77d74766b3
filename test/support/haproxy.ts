import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findProgram, killAndRemove, readGuideBlock } from "./external-program.ts";
import { findFreePort } from "./postgres.ts";
import { makeTemporaryFolder } from "./temporary.ts";
import { pause, until } from "./wait.ts";

const haProxyPath = findProgram("haproxy");

export const haProxySkipReason = haProxyPath
  ? undefined
  : "there is no HAProxy here: install it (the package haproxy of Debian, Ubuntu and Homebrew), or give its path in HAPROXY_PATH";

export type Backend = "reads" | "events" | "writes";

export class HaProxy implements AsyncDisposable {
  private constructor(
    readonly url: URL,
    /** The address for HTTP/2 without TLS. */
    readonly http2Url: URL,
    readonly folder: string,
    readonly process: ChildProcess,
  ) {}

  static async start(instances: readonly [URL, URL]): Promise<HaProxy> {
    const folder = makeTemporaryFolder("haproxy");
    const [port, http2Port] = [await findFreePort(), await findFreePort()];
    const [guideFile, ownFile] = [join(folder, "guide.cfg"), join(folder, "own.cfg")];
    writeFileSync(guideFile, createConfiguration(port, http2Port, instances));
    writeFileSync(ownFile, `global\n    stats socket ${join(folder, "control")}\n`);
    const log = openSync(join(folder, "log"), "w");
    const child = spawn(haProxyPath ?? "", ["-db", "-f", guideFile, "-f", ownFile], { stdio: ["ignore", log, log] });
    const [url, http2Url] = [port, http2Port].map((port) => new URL(`http://127.0.0.1:${port}`)) as [URL, URL];
    const proxy = new HaProxy(url, http2Url, folder, child);
    await proxy.#untilUp();
    return proxy;
  }

  async countServers(backend: Backend): Promise<number> {
    const [header = "", ...rows] = (await this.#sendCommand("show stat")).trim().split("\n");
    const statusColumn = header.split(",").indexOf("status");
    const servers = rows
      .map((row) => row.split(","))
      .filter(([proxy, name]) => proxy === backend && name !== "BACKEND");
    return servers.filter((columns) => columns[statusColumn]?.startsWith("UP")).length;
  }

  async until(count: number, backend: Backend): Promise<void> {
    await until(async () => (await this.countServers(backend)) === count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAndRemove(this.process, this.folder);
  }

  async #untilUp(): Promise<void> {
    while (!(await this.#sendCommand("show info").catch(() => ""))) {
      if (this.process.exitCode !== null) {
        throw new Error(`HAProxy did not start: ${readFileSync(join(this.folder, "log"), "utf8")}`);
      }
      await pause();
    }
  }

  /** Sends a command to the control socket, which accepts one command per connection. */
  #sendCommand(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let response = "";
      const socket = connect(join(this.folder, "control"));
      socket.on("data", (chunk) => {
        response += chunk;
      });
      socket.on("end", () => resolve(response));
      socket.on("error", reject);
      socket.write(`${command}\n`);
    });
  }
}

/** Returns the guide's configuration with local addresses and without TLS. */
function createConfiguration(port: number, http2Port: number, instances: readonly URL[]): string {
  const block = readGuideBlock("haproxy.md", /^```haproxy\n([^`]*)```$/m);
  const addresses = instances.map(({ host }) => host);
  const replacements: [RegExp, string][] = [
    [/^( +bind ):443 .*$/gm, `$1127.0.0.1:${port}\n$1127.0.0.1:${http2Port} proto h2`],
    [/^( +server one ).*$/gm, `$1${addresses[0]}`],
    [/^( +server two ).*$/gm, `$1${addresses[1]}`],
  ];
  return replacements.reduce((result, [pattern, replacement]) => {
    if (result.search(pattern) < 0) throw new Error(`The guide's configuration of HAProxy has no ${pattern}.`);
    return result.replace(pattern, replacement);
  }, block);
}
