import type { Registry } from "../../metrics/registry.ts";
import { type Reply, sharedHeaders } from "../reply/reply.ts";
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
          ? new Response(await metrics.text(), { headers: sharedHeaders(headers) })
          : new Response("Use GET or HEAD.\n", { status: 405, headers: sharedHeaders({ Allow: "GET, HEAD" }) }),
    },
    fetch: () => new Response(`The metrics are at ${metricsPath}.\n`, { status: 404, headers: sharedHeaders({}) }),
  });
  return {
    url: new URL(metricsPath, server.url),
    closeIdleConnections: () => server.closeIdleConnections(),
    stop: () => server.stop(true),
  };
}

const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };
