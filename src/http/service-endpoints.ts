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
  describe(operations: readonly Operation[], addresses: readonly ServerAddress[]): unknown;
}

/** What needs no key: whether the service lives, whether it can serve, and the document of the interface. */
export class ServiceEndpoints {
  readonly #endpoints: Readonly<Record<string, (request: Request) => Reply | Promise<Reply>>>;

  constructor(store: Store, source: DocumentSource) {
    this.#endpoints = {
      "/healthz": () => ok,
      "/readyz": async () => {
        try {
          await store.ready();
        } catch (error) {
          throw new ServiceError("ServiceUnavailable", "The store does not answer.", error);
        }
        return ok;
      },
      [`${basePath}/openapi.json`]: (request) =>
        documentReply(request, "application/json", JSON.stringify(describe(source, request), null, 2)),
      [`${basePath}/openapi.yaml`]: (request) =>
        documentReply(request, "application/yaml", Bun.YAML.stringify(describe(source, request), null, 2)),
    };
  }

  /** Undefined if none of these is at the path. */
  answer(request: Request, path: string): Reply | Promise<Reply> | undefined {
    const endpoint = Object.hasOwn(this.#endpoints, path) ? this.#endpoints[path] : undefined;
    if (endpoint && request.method !== "GET" && request.method !== "HEAD")
      throw methodNotAllowed(request.method, ["GET"]);
    return endpoint?.(request);
  }
}

const ok = jsonReply(200, { status: "ok" }, { "Cache-Control": "no-store" });

function describe({ operations, addresses, clock, describe }: DocumentSource, request: Request): unknown {
  const current = operations.filter((operation) => isInService(operation, clock));
  return describe(current, addresses.length > 0 ? addresses : [addressOf(request)]);
}

/** The address that the request came to, or one relative to the document's own if its `Host` is malformed. */
function addressOf({ url }: Request): ServerAddress {
  return { url: URL.canParse(url) ? new URL(basePath, url).href : basePath, description: "This server" };
}

function documentReply(request: Request, type: string, body: string): Reply {
  const headers = { "Cache-Control": "no-cache", ETag: etagOf(body), Vary: "Host" };
  if (isUnchanged(request.headers.get("if-none-match"), headers.ETag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { "Content-Type": type, ...headers }, body };
}
