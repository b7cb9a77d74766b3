import type { Registry } from "../../metrics/registry.ts";
import { errorKinds } from "../../operations/errors.ts";
import type { WireRequest } from "../../wire/message.ts";
import { WireServer } from "../../wire/wire-server.ts";
import { createFaultError } from "../response/errors.ts";
import { createSharedHeaders, type HeaderFields, type HttpResponse } from "../response/http-response.ts";
import { isRead } from "../router.ts";

export const metricsPath = "/metrics";

export async function createMetricsResponse(metrics: Registry): Promise<HttpResponse> {
  return { status: 200, headers, body: await metrics.render() };
}

export type MetricsServer = ReturnType<typeof listenForMetrics>;

/** Opens a port that serves only the metrics, without authentication. Throws the operating system's error if the address is unavailable. */
export function listenForMetrics(metrics: Registry, hostname: string, port: number) {
  const server = new WireServer({ hostname, port, limits: { idleMs: metricsIdleMs } }, async (request) => {
    const { status, headers, body } = await respond(request, metrics).catch(() => internalErrorResponse);
    // Bodies are never read, so a connection with an unread body must close.
    return { status, head: createSharedHeaders(headers).lines, body, shouldClose: !request.body.isComplete };
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
    const { code, message } = createFaultError(fault);
    return createTextResponse(errorKinds[code].status, message);
  }
  if (target.split("?", 1)[0] !== metricsPath) return createTextResponse(404, `The metrics are at ${metricsPath}.`);
  return isRead(request)
    ? await createMetricsResponse(metrics)
    : createTextResponse(405, "Use GET or HEAD.", { Allow: "GET, HEAD" });
}

function createTextResponse(status: number, message: string, extraHeaders: HeaderFields = {}): HttpResponse {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...extraHeaders }, body: `${message}\n` };
}

const internalErrorResponse = createTextResponse(500, "Something went wrong in the service.");
const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" };

export const metricsIdleMs = 10_000;
