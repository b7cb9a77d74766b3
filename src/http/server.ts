import { readdirSync } from "node:fs";
import type { App } from "./app.ts";
import type { Listener } from "./exchange.ts";
import type { Log } from "./log/log.ts";

export interface HttpServer {
  readonly url: URL;
  /** Takes no new connections, lets the requests under way finish, and cuts off those that take longer than the limit. */
  stop(limitMilliseconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How many connections may be open, if not as many as the machine allows. */
  readonly mostConnections?: number | undefined;
  readonly log: Log;
}

/** Throws what the operating system says when the address cannot be had. */
export function listen(
  app: App,
  { host, port, mostConnections = Number.POSITIVE_INFINITY, log }: ListenOptions,
): HttpServer {
  const listener: Listener = {
    peerOf: (request) => server.requestIP(request)?.address ?? "",
    isFull: () => server.pendingRequests > mostConnections,
  };
  const openBefore = openFiles();
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: host,
    port,
    // Else a fault outside of the service's own care would be shown to clients with its stack.
    development: false,
    // Outside of development, the runtime would share the port with any other program of its kind, and split the requests.
    reusePort: false,
    // Longer than the 60 seconds for which common proxies keep an idle connection that they may still use. It also cuts off
    // those who ask for something and do not read it.
    idleTimeout: 75,
    // The service checks the length of bodies itself, because the runtime would refuse a large one without an Error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // The router matches paths as they were sent. In `request.url` the runtime has resolved dots and backslashes.
    routes: Object.fromEntries(
      [...app.places].map(([path, place]) => [path, (request: Bun.BunRequest) => app.fetch(request, listener, place)]),
    ),
    fetch: (request) => app.fetch(request, listener),
  });
  app.parts.metrics.watch("gauge", "requests_in_flight", "Requests that are being answered.", () => {
    return server.pendingRequests;
  });
  const timer = setInterval(() => {
    const open = openFiles() - openBefore;
    if (open <= mostConnections) return;
    log.write("warn", "too many connections are open, and the idle ones were closed", {
      open,
      closed: server.closeIdleConnections(),
    });
  }, countEveryMs);
  return {
    url: server.url,
    async stop(limitMilliseconds) {
      clearInterval(timer);
      server.stop();
      const end = performance.now() + limitMilliseconds;
      // Not for connections that have sent only half of a request's headers: nobody has been promised anything there.
      while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5);
      await server.stop(true);
    },
  };
}

const countEveryMs = 1_000;

/** The runtime does not tell how many connections there are; the files that the process has open do, nearly. */
function openFiles(): number {
  try {
    return readdirSync("/dev/fd").length;
  } catch (error) {
    // To look takes one more, of which there may be none left.
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? Number.MAX_SAFE_INTEGER : 0;
  }
}
