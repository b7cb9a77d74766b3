import { AnimalStore, type Call, type Operations, type Problem } from "../../client/index.ts";

/** The store, as one key sees it, for as long as somebody works with that key. */
export interface OpenStore {
  readonly store: AnimalStore;
  /** Aborts what is in progress, and starts nothing else. */
  end(): void;
}

/** `onRefused` is called when the key no longer works. */
export function openStore(key: string, onRefused: (message: string) => void = () => {}): OpenStore {
  const ending = new AbortController();
  const store = new AnimalStore({
    baseUrl: location.origin,
    apiKey: key,
    ...patience,
    fetch: (async (input: string, init: RequestInit & { signal: AbortSignal }) => {
      const response = await fetch(input, { ...init, signal: AbortSignal.any([init.signal, ending.signal]) });
      if (!response.ok) {
        const { code, detail = "" } = await problemIn(response.clone());
        if (code === "Unauthorized" && !ending.signal.aborted) onRefused(detail);
      }
      return response;
    }) as typeof fetch,
  });
  return { store, end: () => ending.abort() };
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

/** Proxies answer with whatever they like. */
async function problemIn(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return {};
  }
}
