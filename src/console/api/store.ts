import { AnimalStore, type Call, type Event, type Operations, type Problem } from "../../client/index.ts";
import { SessionEnded } from "./errors.ts";
import { randomName } from "./submission.ts";

/** The store, as one key sees it, for as long as somebody works with that key. */
export interface OpenStore {
  readonly store: AnimalStore;
  /** The same for all tabs with this key; it tells nothing of the key. */
  readonly channel: string;
  /** Whether an event comes of a request that was made through here. */
  isOwn(event: Event): boolean;
  /** Aborts what is in progress, and starts nothing else: because somebody has signed out, or because the key was refused. */
  end(reason: Ending): void;
  /** Why it has ended, if it has. */
  ended(): Ending | undefined;
}

export type Ending = "signed out" | "refused";

/** `onRefused` is called when the key no longer works. */
export function openStore(key: string, onRefused: (message: string) => void = () => {}): OpenStore {
  const ending = new AbortController();
  let ended: Ending | undefined;
  const own = new Set<string>();
  const store = new AnimalStore({
    baseUrl: location.origin,
    apiKey: key,
    ...patience,
    fetch: (async (input: string, init: RequestInit & { signal: AbortSignal }) => {
      if (ending.signal.aborted) throw new SessionEnded(false);
      if (init.method !== "GET") {
        // Known before it is sent, since its event may be here before its response.
        const id = randomName();
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

/** Something with the tag by which the store tells whether it was changed since. */
export interface Tagged<Thing> {
  readonly value: Thing;
  readonly etag: string | undefined;
}

export async function tagged<Id extends keyof Operations, Thing>(call: Call<Id, Thing>): Promise<Tagged<Thing>> {
  const { data, headers } = await call.withResponse();
  const read: Pick<Headers, "get"> = headers;
  return { value: data, etag: read.get("ETag") ?? undefined };
}

/** As many as the interface gives at once. */
export const longestPage = 100;

/** People would rather be told, and try again themselves, than wait for as long as a program can. */
const patience = { maxRetries: 2, timeoutMs: 15_000, deadlineMs: 20_000, maxRetryAfterMs: 2_000 };

/** Enough to tell a few keys apart; far too little to find one by. */
function digestOf(key: string): number {
  let digest = 0;
  for (const letter of key) digest = (digest * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return digest;
}

/** Proxies answer with whatever they like. */
async function problemIn(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return {};
  }
}
