import {
  AnimalStore,
  type Call,
  type Event,
  type Operations,
  type Problem,
} from "../../../packages/client/src/index.ts";
import { randomId } from "./action.ts";
import { SessionEnded } from "./errors.ts";

/** A client with one key, until the session ends. */
export interface OpenStore {
  readonly store: AnimalStore;
  /** The same for all tabs with this key, without revealing it. */
  readonly channel: string;
  isOwn(event: Event): boolean;
  /** Aborts requests in flight, and refuses new ones. */
  end(reason: Ending): void;
  ended(): Ending | undefined;
}

type Ending = "signed out" | "refused";

/** `onRefused` is called when the key is no longer valid. */
export function openStore(key: string, onRefused: (message: string) => void = () => {}): OpenStore {
  const ending = new AbortController();
  let ended: Ending | undefined;
  const own = new Set<string>();
  const store = new AnimalStore({
    baseUrl: location.origin,
    apiKey: key,
    allowInsecureHttp: true,
    ...patience,
    fetch: (async (input: string, init: RequestInit & { signal: AbortSignal }) => {
      if (ending.signal.aborted) throw new SessionEnded(false);
      if (init.method !== "GET") {
        // The event may arrive before the response.
        const id = randomId();
        own.add(id);
        (init.headers as Headers).set("X-Request-Id", id);
      }
      const signal = AbortSignal.any([init.signal, ending.signal]);
      const response = await fetch(input, { ...init, signal }).catch((error) => {
        throw ending.signal.aborted ? new SessionEnded(init.method !== "GET") : error;
      });
      if (!response.ok) {
        const { code, detail = "" } = await problemIn(response.clone());
        if (code === "Unauthorized" && !ending.signal.aborted) onRefused(detail);
      }
      return response;
    }) as typeof fetch,
  });
  return {
    store,
    channel: `animal-store ${digestOf(key)}`,
    isOwn: ({ request }) => request !== null && own.has(request),
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

export async function withEtag<Id extends keyof Operations, Thing>(call: Call<Id, Thing>): Promise<WithEtag<Thing>> {
  const { data, headers } = await call.withResponse();
  const read: Pick<Headers, "get"> = headers;
  return { value: data, etag: read.get("ETag") ?? undefined };
}

export const maxPageSize = 100;

/** Users prefer an error over a long wait. */
const patience = { maxRetries: 2, timeoutMs: 15_000, deadlineMs: 20_000, maxRetryAfterMs: 2_000 };

/** Distinguishes a few keys, and is far too short to find one by. */
function digestOf(key: string): number {
  let digest = 0;
  for (const letter of key) digest = (digest * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return digest;
}

async function problemIn(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return {};
  }
}
