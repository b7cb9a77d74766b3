import type { Registry } from "../../metrics/registry.ts";
import { errorKinds } from "../../operations/errors.ts";
import type { WireRequest } from "../../wire/message.ts";
import { WireServer } from "../../wire/wire-server.ts";
import { errorOfFault } from "../request/fault.ts";
import { leavesBody } from "../request/unread-body.ts";
import { type HeaderFields, sharedHeaders } from "../response/header-block.ts";
import type { HttpResponse } from "../response/http-response.ts";
import { isRead } from "../router.ts";

export const metricsPath = "/metrics";

/** What Prometheus reads. */
export async function metricsResponse(metrics: Registry): Promise<HttpResponse> {
  return { status: 200, headers, body: await metrics.text() };
}

export interface MetricsServer {
  readonly url: URL;
  /** Returns how many there were. */
  closeIdleConnections(): Promise<number>;
  stop(): Promise<void>;
}

/** Serves the metrics, and nothing else, to anybody who can reach the port. Throws what the operating system says when it cannot be had. */
export function listenForMetrics(metrics: Registry, hostname: string, port: number): MetricsServer {
  const server = new WireServer({ hostname, port, limits: { idleMs: metricsIdleMs } }, async (request) => {
    const { status, headers, body } = await replyTo(request, metrics).catch(() => failed);
    // Nobody waits for a body here, and so the connection ends with the response.
    return { status, head: sharedHeaders(headers).lines, body, isLast: leavesBody(request) };
  });
  return {
    url: new URL(metricsPath, server.url),
    closeIdleConnections: () => server.closeIdleConnections(),
    async stop() {
      await server.stop();
      server.terminate();
      await server.ended;
    },
  };
}

async function replyTo(request: WireRequest, metrics: Registry): Promise<HttpResponse> {
  const { fault, target } = request;
  if (fault) {
    const { code, message } = errorOfFault(fault);
    return inText(errorKinds[code].status, message);
  }
  if (target.split("?", 1)[0] !== metricsPath) return inText(404, `The metrics are at ${metricsPath}.`);
  return isRead(request) ? await metricsResponse(metrics) : inText(405, "Use GET or HEAD.", { Allow: "GET, HEAD" });
}

function inText(status: number, message: string, own: HeaderFields = {}): HttpResponse {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...own }, body: `${message}\n` };
}

const failed = inText(500, "Something went wrong in the service.");
const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };

/** Whoever reads the metrics comes again at intervals, and needs no connection in between. */
export const metricsIdleMs = 10_000;
