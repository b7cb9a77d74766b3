import type { App, Place } from "./app.ts";
import type { RoutedRequest } from "./exchange.ts";

export interface HttpServer {
  readonly url: URL;
  /** Takes no new connections, lets the requests under way finish, and cuts off those that take longer than the limit. */
  stop(limitMilliseconds: number): Promise<void>;
}

type Server = Bun.Server<undefined>;

/** Throws what the operating system says when the address cannot be had. */
export function listen(app: App, hostname: string, port: number): HttpServer {
  const answer = (request: RoutedRequest, self: Server, place?: Place) =>
    app.fetch(request, () => self.requestIP(request)?.address ?? "", place);
  const server = Bun.serve({
    hostname,
    port,
    // Else a fault outside of the service's own care would be shown to clients with its stack.
    development: false,
    // Outside of development, the runtime would share the port with any other program of its kind, and split the requests.
    reusePort: false,
    // Longer than the 60 seconds for which common proxies keep an idle connection that they may still use.
    idleTimeout: 75,
    // The service checks the length of bodies itself, because the runtime would refuse a large one without an Error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // The router matches paths as they were sent. In `request.url` the runtime has resolved dots and backslashes.
    routes: Object.fromEntries(
      [...app.places].map(([path, place]) => [
        path,
        (request: Bun.BunRequest, self: Server) => answer(request, self, place),
      ]),
    ),
    fetch: (request, self) => answer(request, self),
  });
  return {
    url: server.url,
    async stop(limitMilliseconds) {
      server.stop();
      const end = performance.now() + limitMilliseconds;
      // Not for connections that have sent only half of a request's headers: nobody has been promised anything there.
      while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5);
      await server.stop(true);
    },
  };
}
