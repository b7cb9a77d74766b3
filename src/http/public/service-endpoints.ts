import { ServiceError } from "../../domain/errors.ts";
import { basePath } from "../../operations/operation.ts";
import type { RequestKind, Store } from "../../store/store.ts";
import { encodedReply } from "../reply/encoded.ts";
import { jsonReply, type Reply } from "../reply/reply.ts";
import { requireRead } from "../router.ts";
import { Described } from "./described.ts";
import type { DocumentFormat, DocumentSource } from "./document-source.ts";

/** What needs no key: whether the service lives, whether it can serve, and the document of the interface. */
export class ServiceEndpoints {
  readonly #endpoints: Readonly<Record<string, Endpoint>>;

  constructor(store: Store, source: DocumentSource, isLeaving: () => boolean) {
    const readyFor = (kinds: readonly RequestKind[]) => async () => {
      if (isLeaving()) throw new ServiceError("ServiceUnavailable", "The service is shutting down.");
      try {
        await Promise.all(kinds.map((kind) => store.ready(kind)));
      } catch (error) {
        throw new ServiceError("ServiceUnavailable", "The store is not responding.", error);
      }
      return ok;
    };
    this.#endpoints = {
      "/healthz": () => ok,
      "/readyz": readyFor(["reads", "writes"]),
      "/readyz/reads": readyFor(["reads"]),
      "/readyz/writes": readyFor(["writes"]),
      [`${basePath}/openapi.json`]: documentEndpoint(source, "json"),
      [`${basePath}/openapi.yaml`]: documentEndpoint(source, "yaml"),
    };
  }

  get paths(): string[] {
    return Object.keys(this.#endpoints);
  }

  /** At one of the paths. Throws MethodNotAllowed. */
  answer(request: Request, path: string): Reply | Promise<Reply> {
    const endpoint = this.#endpoints[path];
    if (!endpoint) throw new Error(`There is no endpoint at ${path}.`);
    requireRead(request);
    return endpoint(request);
  }
}

const ok = jsonReply(200, { status: "ok" }, { "Cache-Control": "no-store" });

type Endpoint = (request: Request) => Reply | Promise<Reply>;

function documentEndpoint(source: DocumentSource, format: DocumentFormat): Endpoint {
  const document = new Described(source, `application/${format}`, (operations, addresses) =>
    source.describe(operations, addresses, format),
  );
  return (request) => encodedReply(request, document.current, documentHeaders);
}

const documentHeaders = { "Cache-Control": "no-cache", Vary: "Accept-Encoding, Origin" };
