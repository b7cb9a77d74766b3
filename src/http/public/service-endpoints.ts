import { ServiceError } from "../../domain/errors.ts";
import { basePath } from "../../operations/operation.ts";
import type { RequestKind, Store } from "../../store/store.ts";
import { respondEncoded } from "../response/encoded.ts";
import { jsonResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";
import { Described } from "./described.ts";
import type { DocumentFormat, DocumentSource } from "./document-source.ts";

/** What programs need no key for, by its path: whether the service lives, whether it can serve, and the document. */
export function serviceEndpoints(
  store: Store,
  source: DocumentSource,
  isLeaving: () => boolean,
): Readonly<Record<string, Endpoint>> {
  const readyFor = (kinds: readonly RequestKind[]) => async () => {
    if (isLeaving()) throw new ServiceError("ServiceUnavailable", "The service is shutting down.");
    try {
      await Promise.all(kinds.map((kind) => store.requireReady(kind)));
    } catch (error) {
      throw new ServiceError("ServiceUnavailable", "The store is not responding.", error);
    }
    return ok;
  };
  return {
    "/healthz": () => ok,
    "/readyz": readyFor(["reads", "writes"]),
    "/readyz/reads": readyFor(["reads"]),
    "/readyz/writes": readyFor(["writes"]),
    [`${basePath}/openapi.json`]: documentIn("json", source),
    [`${basePath}/openapi.yaml`]: documentIn("yaml", source),
  };
}

/** The paths of health probes start with these. */
export const healthPaths: readonly string[] = ["/healthz", "/readyz"];

const ok = jsonResponse(200, { status: "ok" }, { "Cache-Control": "no-store" });

function documentIn(format: DocumentFormat, source: DocumentSource): Endpoint {
  const document = new Described(source, `application/${format}`, (operations, addresses) =>
    source.describe(operations, addresses, format),
  );
  return ({ request }) => respondEncoded(request, document.current, documentHeaders);
}

const documentHeaders = { "Cache-Control": "no-cache" };
