import { describeCause } from "../domain/errors.ts";
import type { Log } from "../log/log.ts";
import type { Registry } from "../metrics/registry.ts";
import { headLimits } from "../operations/fields.ts";
import { Buffers } from "../wire/buffer-limit.ts";
import { findFreePort, WireServer } from "../wire/wire-server.ts";
import type { App } from "./app.ts";
import type { Listener } from "./exchange.ts";
import { openFiles, readOpenFileLimit } from "./open-files.ts";
import { healthPaths } from "./public/service-endpoints.ts";

export { findFreePort };

export interface HttpServer {
  readonly url: URL;
  /**
   * From now on, new connections get this certificate. The runtime cannot change that of a port that is open, so that another
   * one is opened beside it, and the old one stops: requests under way finish, idle connections are closed, and one that is
   * just being opened may be reset. Throws what the runtime says of the certificate, and then nothing has changed. Returns
   * whether anything has: not once `stop` was called, because nobody may connect any more.
   */
  renewCertificate(certificate: Certificate): boolean;
  /** Accepts no new connections, lets the requests in progress finish, and cuts off those that take longer than the limit. */
  stop(limitMilliseconds: number): Promise<void>;
}

/** Both in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How many connections may be open, if not as many as the machine allows. */
  readonly maxConnections?: number | undefined;
  /** For how many seconds a connection may stay open on which nothing moves, if not for as many as usual. */
  readonly idleSeconds?: number | undefined;
  /** Closes the idle connections of the process's other ports, which count as well, and returns how many those were. */
  readonly closeIdleElsewhere?: (() => Promise<number>) | undefined;
  /** With it, HTTPS is spoken, of TLS 1.2 or later; without it HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly log: Log;
}

/** Throws what the operating system says when the address cannot be had. */
export function listen(
  app: App,
  { maxConnections = Number.POSITIVE_INFINITY, closeIdleElsewhere = async () => 0, ...options }: ListenOptions,
): HttpServer {
  const { log } = options;
  /** The last of them is the one that takes new connections. */
  const servers: WireServer[] = [];
  const pendingRequests = () => servers.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);
  const buffers = new Buffers();
  const maxFiles = readOpenFileLimit();
  const openBefore = openFiles(maxFiles);
  // What a server with an older certificate still answers counts as well.
  const isFull = () => pendingRequests() > maxConnections;
  const maxWithoutKey = maxConnections * maxAnonymousShare;
  const isCrowded = (more = 0) => pendingRequests() + more > maxWithoutKey;
  const { host, port, certificate } = options;
  const openAnother = (options: ListenOptions) => {
    const listener: Listener = { isFull, isCrowded, isReplaced: () => server !== servers.at(-1) };
    const server: WireServer = open(app, listener, options, buffers);
    return server;
  };
  const first = openAnother(certificate ? { ...options, port: findFreePort(host, port) } : options);
  servers.push(first);
  let isStopping = false;
  app.parts.metrics.watch("gauge", "process_open_fds", "Open file descriptors.", () => openFiles(maxFiles));
  app.parts.metrics.watch("gauge", "process_max_fds", "Maximum number of open file descriptors.", () => maxFiles);
  app.parts.metrics.watch("gauge", "requests_in_flight", "Requests that are being answered.", pendingRequests);
  measureBuffers(app.parts.metrics, buffers);
  const closeIdle = async (open: number): Promise<number> => {
    let closed = await closeIdleElsewhere();
    // Clients of the API do not pay for connections of other ports.
    if (open - closed <= maxConnections) return closed;
    for (const server of servers) closed += await server.closeIdleConnections();
    return closed;
  };
  const makeRoom = async () => {
    // One more request without a key would find too little room.
    if (isCrowded(1)) for (const server of servers) server.closeStalledConnections();
    const files = openFiles(maxFiles);
    // Connections that wait to be accepted, and those of other ports, are known only as open files.
    const open = files - openBefore;
    const areFilesUsedUp = files >= maxFiles;
    if (open <= maxConnections && !areFilesUsedUp) return;
    const closed = await closeIdle(areFilesUsedUp ? Number.POSITIVE_INFINITY : open);
    if (areFilesUsedUp) log.write("warn", filesUsedUp, { open, closed, limit: maxFiles });
    else log.write("warn", "too many connections are open, and the idle ones were closed", { open, closed });
  };
  const timer = setInterval(makeRoom, countEveryMs);
  return {
    url: first.url,
    renewCertificate(certificate) {
      if (isStopping) return false;
      const old = servers.at(-1);
      servers.push(openAnother({ ...options, port: first.port, certificate }));
      void old?.stop();
      void old?.ended.then(() => servers.splice(servers.indexOf(old), 1));
      return true;
    },
    async stop(limitMilliseconds) {
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
      // With a certificate it has to, for as long as the next server takes its place. Else no other program may.
      sharesPort: certificate !== undefined,
      limits: {
        headBytes: headLimits.kibibytes * 1024,
        // Zero is for ever.
        ...(idleSeconds !== undefined && { idleMs: idleSeconds * 1000 || Number.POSITIVE_INFINITY }),
      },
      onError: (error) => log.write("debug", "a connection has failed", { cause: describeCause(error) }),
    },
    (request) => app.answer(request, listener),
  );
}

function measureBuffers(metrics: Registry, { input, output }: Buffers): void {
  const cutHelp = "Clients disconnected because too much of it was buffered.";
  metrics.watch("gauge", "waiting_input_bytes", "Input that waits to be processed.", () => input.bytes);
  metrics.watch("counter", "waiting_input_cut_total", cutHelp, () => input.droppedCount);
  metrics.watch("gauge", "unread_responses_bytes", "Responses that wait for their clients.", () => output.bytes);
  metrics.watch("counter", "unread_responses_cut_total", cutHelp, () => output.droppedCount);
}

const countEveryMs = 1_000;
const filesUsedUp = "the limit on open files (ulimit -n) is reached, and idle connections were closed";
/** So that those who have a key find room, however many others there are, and however slowly they read. */
export const maxAnonymousShare = 3 / 4;
