import type { Log } from "../log/log.ts";
import type { App } from "./app.ts";
import type { Listener } from "./exchange.ts";
import { openFileLimit, openFiles } from "./open-files.ts";
import { unsentBytes } from "./unsent.ts";

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
  readonly mostConnections?: number | undefined;
  /** For how many seconds a connection may stay open on which nothing moves, if not for as many as usual. */
  readonly idleSeconds?: number | undefined;
  /** Closes the idle connections of the process's other ports, which count as well, and returns how many those were. */
  readonly closeIdleElsewhere?: (() => number) | undefined;
  /** With it, HTTPS is spoken, of TLS 1.2 or later; without it HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly log: Log;
}

/** Throws what the operating system says when the address cannot be had. */
export function listen(
  app: App,
  { mostConnections = Number.POSITIVE_INFINITY, closeIdleElsewhere = () => 0, log, ...options }: ListenOptions,
): HttpServer {
  const { host, port, certificate } = options;
  /** The last of them is the one that takes new connections. */
  const servers: Bun.Server<undefined>[] = [];
  const pendingRequests = () => servers.reduce((sum, server) => sum + server.pendingRequests, 0);
  const mostFiles = openFileLimit();
  const openBefore = openFiles(mostFiles);
  // What a server with an older certificate still answers counts as well.
  const isFull = () => pendingRequests() > mostConnections;
  const isReplaced = (server: Bun.Server<undefined>) => server !== servers.at(-1);
  const first = open(app, isFull, isReplaced, certificate ? { ...options, port: freePort(host, port) } : options);
  servers.push(first);
  // A server that has stopped no longer knows its port.
  const portOfAll = first.port ?? port;
  let isStopping = false;
  app.parts.metrics.watch("gauge", "requests_in_flight", "Requests that are being answered.", pendingRequests);
  const timer = setInterval(() => {
    const files = openFiles(mostFiles);
    // The runtime does not tell how many connections there are; the files that the process has open do, nearly.
    const open = files - openBefore;
    const areFilesUsedUp = files >= mostFiles;
    if (open <= mostConnections && !areFilesUsedUp) return;
    let closed = closeIdleElsewhere();
    // Clients of the interface do not pay for what others have opened.
    if (areFilesUsedUp || open - closed > mostConnections) {
      closed += servers.reduce((sum, server) => sum + server.closeIdleConnections(), 0);
    }
    if (areFilesUsedUp) {
      const message = "the limit on open files (ulimit -n) is reached, and idle connections were closed";
      log.write("warn", message, { open, closed, limit: mostFiles });
    } else {
      log.write("warn", "too many connections are open, and the idle ones were closed", { open, closed });
    }
  }, countEveryMs);
  return {
    url: first.url,
    renewCertificate(renewed) {
      if (isStopping) return false;
      const old = servers.at(-1);
      servers.push(open(app, isFull, isReplaced, { ...options, port: portOfAll, certificate: renewed }));
      old?.stop().then(() => servers.splice(servers.indexOf(old), 1));
      return true;
    },
    async stop(limitMilliseconds) {
      isStopping = true;
      clearInterval(timer);
      for (const server of servers) server.stop();
      const end = performance.now() + limitMilliseconds;
      // Not for connections that have sent only half of a request's headers: nobody has been promised anything there.
      while (pendingRequests() > 0 && performance.now() < end) await Bun.sleep(5);
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}

function open(
  app: App,
  isFull: () => boolean,
  isReplaced: (server: Bun.Server<undefined>) => boolean,
  {
    host,
    port,
    idleSeconds = usualIdleSeconds,
    certificate,
  }: Omit<ListenOptions, "mostConnections" | "closeIdleElsewhere" | "log">,
): Bun.Server<undefined> {
  const listener: Listener = {
    peerOf: (request) => server.requestIP(request)?.address ?? "",
    isFull,
    isReplaced: () => isReplaced(server),
    cutIfStalled: (request) => server.timeout(request, stalledSeconds),
    keepOpen: (request) => server.timeout(request, idleSeconds),
    unsentBytes(request) {
      const peer = server.requestIP(request);
      return peer ? unsentBytes(server.port ?? port, peer) : undefined;
    },
  };
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: host,
    port,
    ...(certificate ? { tls: { cert: certificate.cert, key: certificate.key } } : {}),
    // Else a fault outside of the service's own care would be shown to clients with its stack.
    development: false,
    // Outside of development, the runtime would share the port with any other program of its kind, and split the requests.
    // With a certificate it has to, for as long as the next one takes its place.
    reusePort: certificate !== undefined,
    // It also cuts off those who ask for something and do not read it, and who are slow to send the headers of a further
    // request. For those of the first, the runtime has a limit of its own.
    idleTimeout: idleSeconds,
    // The service checks the length of bodies itself, because the runtime would refuse a large one without an Error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // The router matches paths as they were sent. In `request.url` the runtime has resolved dots and backslashes.
    routes: Object.fromEntries(
      [...app.places].map(([path, place]) => [path, (request: Bun.BunRequest) => app.fetch(request, listener, place)]),
    ),
    fetch: (request) => app.fetch(request, listener),
  });
  return server;
}

/** A port that no other program uses, also none that would share it. Throws what the operating system says. */
function freePort(host: string, port: number): number {
  const server = Bun.serve({ hostname: host, port, reusePort: false, fetch: () => new Response() });
  server.stop(true);
  return server.port ?? port;
}

const countEveryMs = 1_000;

/** The runtime looks every four seconds at whose time is over: with fewer than five, it could be over at once. */
const stalledSeconds = 5;

/** Longer than the 60 seconds for which common proxies keep an idle connection that they may still use. */
const usualIdleSeconds = 75;
