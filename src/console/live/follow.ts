import { type AnimalStore, AnimalStoreError, ConflictError, type Event, GoneError } from "../../client/index.ts";

export interface Following {
  readonly store: AnimalStore;
  /** The same for all tabs that see the same events. */
  readonly channel: string;
  readonly signal: AbortSignal;
  /** Called once everything that happens from now on will be told. */
  onReady(): void;
  onEvent(event: Event): void;
  /** Called when something may have happened that was not told. */
  onMissed(): void;
}

/**
 * Tells what happens in the store, each event once and in order, until it is aborted. Of all tabs one has the stream, and
 * hands on what it gets; when that tab is closed, another one goes on where it was.
 */
export async function follow({ store, channel: name, signal, onReady, onEvent, onMissed }: Following): Promise<void> {
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  let cursor = await latest();
  let isBehind = cursor === undefined;
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    cursor = data.cursor;
    if (data.event) onEvent(data.event);
    else onMissed();
  };
  onReady();
  // Without https, browsers have no locks; then each tab has a stream of its own.
  if (navigator.locks) await navigator.locks.request(name, { signal }, lead).catch(() => {});
  else await lead();

  async function lead(): Promise<void> {
    while (!signal.aborted) {
      try {
        cursor ??= (await store.events.list({ cursor: "latest" }, { signal }).page()).next;
        if (isBehind) tell({ cursor, event: undefined });
        isBehind = false;
        const stream = store.events.stream({ cursor }, { signal });
        for await (const event of stream) tell({ cursor: stream.cursor, event });
      } catch (error) {
        if (signal.aborted) return;
        // The log was set back, or no longer goes back so far.
        isBehind = error instanceof ConflictError || error instanceof GoneError || cursor === undefined;
        if (isBehind) cursor = undefined;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  function tell(told: Told): void {
    cursor = told.cursor;
    channel.postMessage(told);
    if (told.event) onEvent(told.event);
    else onMissed();
  }

  async function latest(): Promise<string | undefined> {
    try {
      return (await store.events.list({ cursor: "latest" }, { signal }).page()).next;
    } catch (error) {
      if (!(error instanceof AnimalStoreError)) throw error;
      return undefined;
    }
  }
}

interface Told {
  readonly cursor: string | undefined;
  /** Undefined if something was missed. */
  readonly event: Event | undefined;
}

const pauseMs = 2_000;
