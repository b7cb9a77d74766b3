import type { Registry } from "../../metrics/registry.ts";
import { errorKinds } from "../../operations/errors.ts";
import type { WireRequest } from "../../wire/message.ts";
import { WireServer } from "../../wire/wire-server.ts";
import { errorOfFault } from "../response/errors.ts";
import { type HeaderFields, type HttpResponse, sharedHeaders } from "../response/http-response.ts";
import { isRead } from "../router.ts";

export const metricsPath = "/metrics";

export async function metricsResponse(metrics: Registry): Promise<HttpResponse> {
  return { status: 200, headers, body: await metrics.text() };
}

export type MetricsServer = ReturnType<typeof listenForMetrics>;

/** Opens a port that serves only the metrics, without authentication. Throws the operating system's error if the address is unavailable. */
export function listenForMetrics(metrics: Registry, hostname: string, port: number) {
  const server = new WireServer({ hostname, port, limits: { idleMs: metricsIdleMs } }, async (request) => {
    const { status, headers, body } = await respond(request, metrics).catch(() => internalError);
    // Bodies are never read, so a connection with an unread body must close.
    return { status, head: sharedHeaders(headers).lines, body, shouldClose: !request.body.isComplete };
  });
  return {
    url: new URL(metricsPath, server.url),
    closeIdleConnections: () => server.closeIdleConnections(),
    async stop(): Promise<void> {
      await server.stop();
      server.terminate();
      await server.ended;
    },
  };
}

async function respond(request: WireRequest, metrics: Registry): Promise<HttpResponse> {
  const { fault, target } = request;
  if (fault) {
    const { code, message } = errorOfFault(fault);
    return textResponse(errorKinds[code].status, message);
  }
  if (target.split("?", 1)[0] !== metricsPath) return textResponse(404, `The metrics are at ${metricsPath}.`);
  return isRead(request)
    ? await metricsResponse(metrics)
    : textResponse(405, "Use GET or HEAD.", { Allow: "GET, HEAD" });
}

function textResponse(status: number, message: string, own: HeaderFields = {}): HttpResponse {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...own }, body: `${message}\n` };
}

const internalError = textResponse(500, "Something went wrong in the service.");
const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };

export const metricsIdleMs = 10_000;
