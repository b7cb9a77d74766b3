import {
  AnimalStore,
  type Call,
  type Event,
  type Operations,
  type Problem,
} from "../../../packages/client/src/index.ts";
import { SessionEnded } from "../parts/errors.ts";
import { generateId } from "./action.ts";

export type StoreSession = ReturnType<typeof openStoreSession>;

/** Opens the session of a signed-in user. Calls `onRefused` when the store no longer accepts the key. */
export function openStoreSession(key: string, onRefused: (message: string) => void = () => {}) {
  const controller = new AbortController();
  const ownRequests = new Set<string>();
  const store = new AnimalStore({
    baseUrl: location.origin,
    apiKey: key,
    allowInsecureHttp: true,
    ...requestLimits,
    fetch: (async (input: string, init: RequestInit & { signal: AbortSignal }) => {
      if (controller.signal.aborted) throw new SessionEnded(false);
      if (init.method !== "GET") {
        // Records the id before sending the request, because the event may arrive before the response.
        const id = generateId();
        ownRequests.add(id);
        (init.headers as Headers).set("X-Request-Id", id);
      }
      const signal = AbortSignal.any([init.signal, controller.signal]);
      const response = await fetch(input, { ...init, signal }).catch((error) => {
        throw controller.signal.aborted ? new SessionEnded(init.method !== "GET") : error;
      });
      if (!response.ok) {
        const problem: Partial<Problem> | null = await response
          .clone()
          .json()
          .catch(() => null);
        if (problem?.code === "Unauthorized" && !controller.signal.aborted) onRefused(problem.detail ?? "");
      }
      return response;
    }) as typeof fetch,
  });
  return {
    store,
    /** The name of the broadcast channel that all tabs with this key share. The name does not reveal the key. */
    channel: `animal-store ${hashKey(key)}`,
    isOwn: ({ request }: Event) => request !== null && ownRequests.has(request),
    /** Aborts requests in flight and rejects new ones. */
    end: () => controller.abort(),
    hasEnded: () => controller.signal.aborted,
  };
}

export interface WithEtag<Thing> {
  readonly value: Thing;
  readonly etag: string | undefined;
}

export async function fetchWithEtag<Id extends keyof Operations, Thing>(
  call: Call<Id, Thing>,
): Promise<WithEtag<Thing>> {
  const { data, headers } = await call.withResponse();
  const responseHeaders: Pick<Headers, "get"> = headers;
  return { value: data, etag: responseHeaders.get("ETag") ?? undefined };
}

export const maxPageSize = 100;

/** Short limits, because users prefer an error to a long wait. */
const requestLimits = { maxRetries: 2, timeoutMs: 15_000, deadlineMs: 20_000, maxRetryAfterMs: 2_000 };

/** Returns a hash that is too short to reveal the key. */
function hashKey(key: string): number {
  let hash = 0;
  for (const letter of key) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash;
}
