import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../domain/errors.ts";
import { basePath, type Operation } from "../../operations/operation.ts";
import type { RequestKind, Store } from "../../store/store.ts";
import { isInService } from "../reply/deprecation.ts";
import { EncodedText, encodedReply } from "../reply/encoded.ts";
import { jsonReply, type Reply } from "../reply/reply.ts";
import { requireRead } from "../router.ts";

export interface ServerAddress {
  readonly url: string;
  readonly description: string;
}

export interface DocumentSource {
  readonly operations: readonly Operation[];
  /** The addresses that the operator has configured. */
  readonly addresses: readonly ServerAddress[];
  readonly clock: Clock;
  /** The document as text. */
  describe(operations: readonly Operation[], addresses: readonly ServerAddress[], format: DocumentFormat): string;
}

type DocumentFormat = "json" | "yaml";

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

/**
 * Serves the document, which is made once for all callers: it is no small work, and anybody may ask. It is made anew when an
 * operation goes out of service.
 */
function documentEndpoint(source: DocumentSource, format: DocumentFormat): Endpoint {
  let made: { readonly of: string; readonly document: EncodedText } | undefined;
  return (request) => {
    const operations = source.operations.filter((operation) => isInService(operation, source.clock));
    const of = operations.map(({ id }) => id).join(" ");
    if (made?.of !== of) {
      const addresses = source.addresses.length > 0 ? source.addresses : [ownAddress];
      const document = new EncodedText(`application/${format}`, () => source.describe(operations, addresses, format));
      made = { of, document };
    }
    return encodedReply(request, made.document, documentHeaders);
  };
}

/** Relative: OpenAPI resolves it against the address that the document came from, by whatever name that was called. */
const ownAddress: ServerAddress = { url: basePath, description: "This server" };

const documentHeaders = { "Cache-Control": "no-cache", Vary: "Accept-Encoding, Origin" };
