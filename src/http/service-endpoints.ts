import type { Clock } from "../domain/clock.ts";
import { ServiceError } from "../domain/errors.ts";
import { basePath, type Operation } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import { etagOf, isUnchanged } from "./conditional.ts";
import { isInService } from "./deprecation.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { methodNotAllowed } from "./router.ts";

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
  describe(operations: readonly Operation[], addresses: readonly ServerAddress[], format: "json" | "yaml"): string;
}

/** What needs no key: whether the service lives, whether it can serve, and the document of the interface. */
export class ServiceEndpoints {
  readonly #endpoints: Readonly<Record<string, Endpoint>>;

  constructor(store: Store, source: DocumentSource, isLeaving: () => boolean) {
    this.#endpoints = {
      "/healthz": () => ok,
      "/readyz": async () => {
        if (isLeaving()) throw new ServiceError("ServiceUnavailable", "The service is about to stop.");
        try {
          await store.ready();
        } catch (error) {
          throw new ServiceError("ServiceUnavailable", "The store does not answer.", error);
        }
        return ok;
      },
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
    if (!["GET", "HEAD"].includes(request.method)) throw methodNotAllowed(request.method, ["GET"]);
    return endpoint(request);
  }
}

const ok = jsonReply(200, { status: "ok" }, { "Cache-Control": "no-store" });

type Endpoint = (request: Request) => Reply | Promise<Reply>;

/** Serves the document as text. The text is kept, since anybody may ask for it and making it is no small work. */
function documentEndpoint(source: DocumentSource, format: "json" | "yaml"): Endpoint {
  const texts = new Map<string, string>();
  return (request) => {
    const operations = source.operations.filter((operation) => isInService(operation, source.clock));
    const addresses = source.addresses.length > 0 ? source.addresses : [addressOf(request)];
    const name = [...operations.map(({ id }) => id), ...addresses.map(({ url }) => url)].join(" ");
    let text = texts.get(name);
    if (text === undefined) {
      text = source.describe(operations, addresses, format);
      if (texts.size >= mostTexts) texts.clear();
      texts.set(name, text);
    }
    return documentReply(request, `application/${format}`, text);
  };
}

/** Enough for the names that one server is called by. */
const mostTexts = 8;

/** The address that the request came to, or one relative to the document's own if its `Host` is malformed. */
function addressOf({ url }: Request): ServerAddress {
  return { url: URL.canParse(url) ? new URL(basePath, url).href : basePath, description: "This server" };
}

function documentReply(request: Request, type: string, body: string): Reply {
  const headers = { "Cache-Control": "no-cache", ETag: etagOf(body), Vary: "Host, Origin" };
  if (isUnchanged(request.headers.get("if-none-match"), headers.ETag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { "Content-Type": type, ...headers }, body };
}
