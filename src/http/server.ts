import { describeCause } from "../domain/errors.ts";
import type { Log } from "../log/log.ts";
import type { Registry } from "../metrics/registry.ts";
import { headLimits } from "../operations/fields.ts";
import { Buffers } from "../wire/buffer-limit.ts";
import { type Certificate, findFreePort, WireServer } from "../wire/wire-server.ts";
import type { App } from "./app.ts";
import type { Listener } from "./exchange.ts";
import { countOpenFiles, readOpenFileLimit } from "./open-files.ts";
import { healthPaths } from "./public/service-endpoints.ts";

export { type Certificate, findFreePort };

export type HttpServer = ReturnType<typeof listen>;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections?: number | undefined;
  /** Default: that of `WireServer`. 0 disables the timeout. */
  readonly idleSeconds?: number | undefined;
  readonly closeOtherIdleConnections?: (() => Promise<number>) | undefined;
  readonly certificate?: Certificate | undefined;
  readonly log: Log;
}

/** Throws the operating system's error if the address is unavailable. */
export function listen(app: App, options: ListenOptions) {
  const { maxConnections = Number.POSITIVE_INFINITY, closeOtherIdleConnections = async () => 0, log } = options;
  const { metrics } = app.parts;
  const servers: WireServer[] = [];
  const pendingRequests = () => servers.reduce((sum, server) => sum + server.pendingRequests, 0);
  const buffers = new Buffers();
  const maxFiles = readOpenFileLimit();
  const initialFiles = countOpenFiles(maxFiles);
  const maxAnonymous = maxConnections * maxAnonymousShare;
  const start = (options: ListenOptions) => {
    const listener: Listener = {
      isFull: () => pendingRequests() > maxConnections,
      isFullForAnonymous: () => pendingRequests() > maxAnonymous,
      isReplaced: () => server !== servers.at(-1),
    };
    const server: WireServer = open(app, listener, options, buffers);
    servers.push(server);
    return server;
  };
  const { host, port, certificate } = options;
  const first = start(certificate ? { ...options, port: findFreePort(host, port) } : options);
  let isStopping = false;
  metrics.watch("gauge", "process_open_fds", "Open file descriptors.", () => countOpenFiles(maxFiles));
  metrics.watch("gauge", "process_max_fds", "Maximum number of open file descriptors.", () => maxFiles);
  metrics.watch("gauge", "requests_in_flight", "Requests that are being answered.", pendingRequests);
  measureBuffers(metrics, buffers);
  const freeConnections = async () => {
    const files = countOpenFiles(maxFiles);
    // Counts open files, because connections to other ports and connections not yet accepted are not visible otherwise.
    const openCount = files - initialFiles;
    const isOutOfFiles = files >= maxFiles;
    const maxOpen = isOutOfFiles ? Number.NEGATIVE_INFINITY : maxConnections;
    if (openCount <= maxOpen) return;
    let closedCount = await closeOtherIdleConnections();
    // Idle connections to the metrics port are closed first, and those of API clients only if too many are still open.
    if (openCount - closedCount > maxOpen) {
      for (const server of servers) closedCount += await server.closeIdleConnections();
    }
    if (isOutOfFiles) log.write("warn", outOfFiles, { open: openCount, closed: closedCount, limit: maxFiles });
    else
      log.write("warn", "too many connections are open, and the idle ones were closed", {
        open: openCount,
        closed: closedCount,
      });
  };
  const timer = setInterval(() => {
    // A stalled client keeps its request in progress, so stalled clients are disconnected before anonymous requests are rejected.
    if (pendingRequests() + 1 > maxAnonymous) for (const server of servers) server.closeStalledConnections();
    return freeConnections();
  }, countIntervalMs);
  return {
    url: first.url,
    /**
     * The runtime cannot replace the certificate of an open port, so a second listener opens the port, and the old one stops. Throws the
     * runtime's error, and changes nothing, if the certificate is unusable. Returns false after `stop`.
     */
    renewCertificate(certificate: Certificate): boolean {
      if (isStopping) return false;
      const oldServer = servers.at(-1);
      start({ ...options, port: first.port, certificate });
      void oldServer?.stop();
      void oldServer?.ended.then(() => servers.splice(servers.indexOf(oldServer), 1));
      return true;
    },
    async stop(limitMilliseconds: number): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      await Promise.all(servers.map((server) => server.stop()));
      const end = performance.now() + limitMilliseconds;
      const isBusy = () =>
        pendingRequests() > 0 || servers.some(({ hasClientsStillSending }) => hasClientsStillSending);
      while (isBusy() && performance.now() < end) await Bun.sleep(5);
      for (const server of servers) server.terminate();
    },
  };
}

function open(
  app: App,
  listener: Listener,
  { host: hostname, port, idleSeconds, certificate, log }: ListenOptions,
  buffers: Buffers,
): WireServer {
  return new WireServer(
    {
      hostname,
      port,
      tls: certificate,
      buffers,
      probeStarts: healthPaths.map((path) => `GET ${path}`),
      // After a renewal of the certificate, a second listener opens the same port. Without a certificate, there is only one listener.
      sharesPort: certificate !== undefined,
      limits: {
        maxHeadBytes: headLimits.kibibytes * 1024,
        ...(idleSeconds !== undefined && { idleMs: idleSeconds * 1000 || Number.POSITIVE_INFINITY }),
      },
      onError: (error) => log.write("debug", "a connection has failed", { cause: describeCause(error) }),
    },
    (request) => app.handle(request, listener),
  );
}

function measureBuffers(metrics: Registry, { input, output }: Buffers): void {
  const cutHelp = "Clients disconnected because too much of their data was buffered.";
  metrics.watch("gauge", "waiting_input_bytes", "Input that waits to be processed.", () => input.bytes);
  metrics.watch("counter", "waiting_input_cut_total", cutHelp, () => input.droppedCount);
  metrics.watch("gauge", "unread_responses_bytes", "Responses that wait for their clients.", () => output.bytes);
  metrics.watch("counter", "unread_responses_cut_total", cutHelp, () => output.droppedCount);
}

const countIntervalMs = 1_000;
const outOfFiles = "the limit on open files (ulimit -n) is reached, and idle connections were closed";
/** The share of connections that anonymous requests may use; the rest is reserved for requests with a valid key. */
export const maxAnonymousShare = 3 / 4;
