import {
  AnimalStore,
  type Call,
  type Event,
  type Operations,
  type Problem,
} from "../../../packages/client/src/index.ts";
import { randomId } from "./action.ts";
import { SessionEnded } from "./errors.ts";

/** A session: the client of a signed-in user, and the end of the session. */
export interface StoreSession {
  readonly store: AnimalStore;
  /** A name for the broadcast channel that all tabs with this key share. The name does not reveal the key. */
  readonly channel: string;
  isOwn(event: Event): boolean;
  /** Ends the session: aborts requests in flight and rejects new ones. */
  end(reason: Ending): void;
  ended(): Ending | undefined;
}

type Ending = "signed out" | "refused";

/** Starts a session. `onRefused` is called when the key is no longer valid. */
export function openStore(key: string, onRefused: (message: string) => void = () => {}): StoreSession {
  const ending = new AbortController();
  let ended: Ending | undefined;
  const ownRequests = new Set<string>();
  const store = new AnimalStore({
    baseUrl: location.origin,
    apiKey: key,
    allowInsecureHttp: true,
    ...limits,
    fetch: (async (input: string, init: RequestInit & { signal: AbortSignal }) => {
      if (ending.signal.aborted) throw new SessionEnded(false);
      if (init.method !== "GET") {
        // Records the id before the request is sent, because the event may arrive before the response.
        const id = randomId();
        ownRequests.add(id);
        (init.headers as Headers).set("X-Request-Id", id);
      }
      const signal = AbortSignal.any([init.signal, ending.signal]);
      const response = await fetch(input, { ...init, signal }).catch((error) => {
        throw ending.signal.aborted ? new SessionEnded(init.method !== "GET") : error;
      });
      if (!response.ok) {
        const { code, detail = "" } = await readProblem(response.clone());
        if (code === "Unauthorized" && !ending.signal.aborted) onRefused(detail);
      }
      return response;
    }) as typeof fetch,
  });
  return {
    store,
    channel: `animal-store ${hashKey(key)}`,
    isOwn: ({ request }) => request !== null && ownRequests.has(request),
    end(reason) {
      ended ??= reason;
      ending.abort();
    },
    ended: () => ended,
  };
}

export interface WithEtag<Thing> {
  readonly value: Thing;
  readonly etag: string | undefined;
}

/** Runs a call and returns its result together with the ETag. */
export async function withEtag<Id extends keyof Operations, Thing>(call: Call<Id, Thing>): Promise<WithEtag<Thing>> {
  const { data, headers } = await call.withResponse();
  const responseHeaders: Pick<Headers, "get"> = headers;
  return { value: data, etag: responseHeaders.get("ETag") ?? undefined };
}

export const maxPageSize = 100;

/** Short limits, because users prefer an error to a long wait. */
const limits = { maxRetries: 2, timeoutMs: 15_000, deadlineMs: 20_000, maxRetryAfterMs: 2_000 };

/** Returns a hash that distinguishes a few keys and is far too short to reveal one. */
function hashKey(key: string): number {
  let hash = 0;
  for (const letter of key) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash;
}

async function readProblem(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return {};
  }
}
