import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { parseHttpUrl, setting } from "../../config.ts";
import { command, exitCodes } from "../command.ts";
import { certificateSetting, hostSetting, portSetting } from "../serve/listening.ts";

export const healthCommand = command({
  name: "health",
  summary: "Check whether a running service can answer reads and writes: exit code 0 if it can, 1 if not.",
  settings: {
    url: setting("--url URL", parseOrigin, {
      help: "The URL of the service, without a path. By default built from --host and --port.",
      expects: "an http or https URL without a path, such as http://127.0.0.1:8080",
    }),
    host: { ...hostSetting, help: "The host that the service listens on." },
    port: { ...portSetting, help: "The port that the service listens on." },
    tlsCert: {
      ...certificateSetting,
      help: "The TLS certificate of the service, if it has one; the check then uses HTTPS.",
    },
  },
  async run({ settings: { url, host, port, tlsCert }, output }) {
    const address = new URL("/readyz", url ?? localUrl(host, port, tlsCert !== undefined));
    const response = requestOnce(address, url !== undefined);
    const { isSuccess: isReady, found } = await response.catch(({ message }) => ({ isSuccess: false, found: message }));
    if (isReady) return await output.print("The service is ready.", { url: address.origin, isReady });
    if (output.isJson) await output.report("", { url: address.origin, isReady, reason: found });
    output.note(`animal-store: The service at ${address.origin} is not ready: ${found}`);
    return exitCodes.failure;
  },
});

/** Avoids `fetch`, which would use a proxy of the environment. Certificates need not name a local address, so the check is optional. */
export function requestOnce(url: URL, rejectUnauthorized: boolean): Promise<{ isSuccess: boolean; found: string }> {
  return new Promise((resolve, reject) => {
    const get = url.protocol === "https:" ? https.get : http.get;
    const options = { signal: AbortSignal.timeout(maxResponseMs), rejectUnauthorized };
    const request = get(url, options, (response) => {
      const { statusCode = 0 } = response;
      const isSuccess = Math.floor(statusCode / 100) === 2;
      text(response).then((body) => resolve({ isSuccess, found: `it returned ${statusCode} ${body.trim()}` }), reject);
    });
    request.on("error", reject);
  });
}

/** Long enough for a service to report that its disk hangs. */
export const maxResponseMs = 9_000;

/** Returns the URL at which this machine reaches its own service, even one that listens on all addresses. */
export function localUrl(host: string, port: number, isTls: boolean): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${isTls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function parseOrigin(text: string): string | undefined {
  const url = parseHttpUrl(text);
  return url && [url.origin, `${url.origin}/`].includes(text) ? url.origin : undefined;
}
