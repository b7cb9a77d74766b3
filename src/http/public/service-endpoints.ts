import { ServiceError } from "../../domain/errors.ts";
import type { Registry } from "../../metrics/registry.ts";
import { basePath } from "../../operations/operation.ts";
import type { RequestKind, Store } from "../../store/store.ts";
import { createJsonResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";
import { createDocumentEndpoint, type DocumentFormat, type DocumentSource } from "./document.ts";

export function createServiceEndpoints(
  store: Store,
  source: DocumentSource,
  isDraining: () => boolean,
): Readonly<Record<string, Endpoint>> {
  const createReadinessCheck = (kinds: readonly RequestKind[]) => async () => {
    if (isDraining()) throw new ServiceError("ServiceUnavailable", "The service is shutting down.");
    try {
      await Promise.all(kinds.map((kind) => store.requireReady(kind)));
    } catch (error) {
      throw new ServiceError("ServiceUnavailable", "The store is not responding.", error);
    }
    return okResponse;
  };
  return {
    "/healthz": () => okResponse,
    "/readyz": createReadinessCheck(requestKinds),
    "/readyz/reads": createReadinessCheck(["reads"]),
    "/readyz/writes": createReadinessCheck(["writes"]),
    [`${basePath}/openapi.json`]: createOpenApiEndpoint("json", source),
    [`${basePath}/openapi.yaml`]: createOpenApiEndpoint("yaml", source),
  };
}

export const healthPaths: readonly string[] = ["/healthz", "/readyz"];

const requestKinds: readonly RequestKind[] = ["reads", "writes"];
const okResponse = createJsonResponse(200, { status: "ok" }, { "Cache-Control": "no-store" });

function createOpenApiEndpoint(format: DocumentFormat, source: DocumentSource): Endpoint {
  const headers = { "Cache-Control": "no-cache" };
  return createDocumentEndpoint(source, `application/${format}`, headers, (operations, addresses) =>
    source.renderDocument(operations, addresses, format),
  );
}

/** Reports the readiness of `/readyz/reads` and `/readyz/writes` as metrics; each scrape asks the store. */
export function measureReadiness(metrics: Registry, store: Store): void {
  const isReady = new Map<RequestKind, boolean>();
  const check = (kind: RequestKind) =>
    Promise.try(() => store.requireReady(kind)).then(
      () => isReady.set(kind, true),
      () => isReady.set(kind, false),
    );
  metrics.onScrape(async () => {
    await Promise.all(requestKinds.map(check));
  });
  metrics.watch("gauge", "ready", "1 while the store can answer requests of that kind.", () =>
    Array.from(isReady, ([kind, value]) => [{ kind }, value ? 1 : 0] as const),
  );
}
