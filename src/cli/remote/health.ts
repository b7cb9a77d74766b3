import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { parseHttpUrl, setting } from "../../config.ts";
import { command, exitCodes } from "../command.ts";
import { certificateSetting, hostSetting, portSetting } from "../serve/listening.ts";

const settings = {
  url: setting(parseOrigin, {
    flag: "url",
    placeholder: "URL",
    help: "The URL of the service, without a path. By default built from --host and --port.",
    expects: "an http or https URL without a path, such as http://127.0.0.1:8080",
  }),
  host: { ...hostSetting, help: "The host that the service listens on." },
  port: { ...portSetting, help: "The port that the service listens on." },
  tlsCert: {
    ...certificateSetting,
    help: "The TLS certificate of the service, if it has one; the check then uses HTTPS.",
  },
};

export const healthCommand = command({
  name: "health",
  summary: "Check whether a running service can answer reads and writes: exit code 0 if it can, 1 if not.",
  settings,
  async run({ settings: { url, host, port, tlsCert }, output }) {
    const address = new URL("/readyz", url ?? ownAddress(host, port, tlsCert !== undefined));
    const { isReady, told } = await ask(address, url !== undefined).catch(({ message }: Error) => ({
      isReady: false,
      told: message,
    }));
    if (isReady) return await output.text("The service is ready.", { url: address.origin, isReady });
    if (output.isJson) await output.done("", { url: address.origin, isReady, reason: told });
    output.note(`animal-store: The service at ${address.origin} is not ready: ${told}`);
    return exitCodes.failure;
  },
});

/**
 * The service on this machine is asked by its address, which its certificate need not name; nothing secret is sent to it.
 * Not by fetch, which would go through a proxy that the environment names for the way to the internet.
 */
export function ask(address: URL, rejectUnauthorized: boolean): Promise<{ isReady: boolean; told: string }> {
  return new Promise((resolve, reject) => {
    const get = address.protocol === "https:" ? https.get : http.get;
    const options = { signal: AbortSignal.timeout(maxResponseMs), rejectUnauthorized };
    const request = get(address, options, async (response) => {
      try {
        const { statusCode = 0 } = response;
        const answer = `it answers ${statusCode} ${(await text(response)).trim()}`;
        resolve({ isReady: Math.floor(statusCode / 100) === 2, told: answer });
      } catch (error) {
        reject(error);
      }
    });
    request.on("error", reject);
  });
}

/** A service on a disk that hangs takes its time to say so. */
export const maxResponseMs = 9_000;

/** The address at which this machine reaches its own service, also one that listens on all addresses. */
export function ownAddress(host: string, port: number, isTls: boolean): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${isTls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function parseOrigin(text: string): string | undefined {
  const url = parseHttpUrl(text);
  return url && [url.origin, `${url.origin}/`].includes(text) ? url.origin : undefined;
}
