import type { Registry } from "../../metrics/registry.ts";
import { lastOfConnection, type Reply, sharedHeaders } from "../reply/reply.ts";
import { leavesBody } from "../request/unread-body.ts";
import { isRead } from "../router.ts";

export const metricsPath = "/metrics";

/** What Prometheus reads. */
export async function metricsReply(metrics: Registry): Promise<Reply> {
  return { status: 200, headers, body: await metrics.text() };
}

export interface MetricsServer {
  readonly url: URL;
  /** Returns how many there were. */
  closeIdleConnections(): number;
  stop(): Promise<void>;
}

/** Serves the metrics, and nothing else, to anybody who can reach the port. Throws what the operating system says when it cannot be had. */
export function listenForMetrics(metrics: Registry, hostname: string, port: number): MetricsServer {
  const server = Bun.serve({
    hostname,
    port,
    development: false,
    reusePort: false,
    routes: {
      [metricsPath]: async (request) =>
        isRead(request)
          ? responseTo(request, await metricsReply(metrics))
          : responseTo(request, { status: 405, headers: { Allow: "GET, HEAD" }, body: "Use GET or HEAD.\n" }),
    },
    fetch: (request) => responseTo(request, { status: 404, headers: {}, body: `The metrics are at ${metricsPath}.\n` }),
  });
  return {
    url: new URL(metricsPath, server.url),
    closeIdleConnections: () => server.closeIdleConnections(),
    stop: () => server.stop(true),
  };
}

/** Nobody waits for a body here, and so the connection ends with the response. */
function responseTo(request: Request, { status, headers, body }: Reply): Response {
  const ending = leavesBody(request) ? lastOfConnection : {};
  return new Response(body, { status, headers: sharedHeaders({ ...headers, ...ending }) });
}

const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };
