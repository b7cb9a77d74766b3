import {
  type AnimalStore,
  AnimalStoreError,
  ConflictError,
  type Event,
  GoneError,
} from "../../../packages/client/src/index.ts";

export interface Following {
  readonly store: AnimalStore;
  /** The same for all tabs that see the same events. */
  readonly channel: string;
  readonly signal: AbortSignal;
  /** Called once no further event can be missed. */
  onReady(): void;
  onEvent(event: Event): void;
  /** Called when events may have been missed. */
  onMissed(): void;
}

/**
 * Delivers each event once and in order, until it is aborted. One tab has the stream, and passes the events to the
 * others; when it is closed, another tab continues.
 */
export async function follow({ store, channel: name, signal, onReady, onEvent, onMissed }: Following): Promise<void> {
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  let cursor = await readEnd().catch((error) => {
    if (!(error instanceof AnimalStoreError)) throw error;
    return undefined;
  });
  let isBehind = cursor === undefined;
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    cursor = data.cursor;
    if (data.event) onEvent(data.event);
    else onMissed();
  };
  onReady();
  // Browsers have locks only on https; without, each tab has its own stream.
  if (navigator.locks) await navigator.locks.request(name, { signal }, lead).catch(() => {});
  else await lead();

  async function lead(): Promise<void> {
    while (!signal.aborted) {
      try {
        await stream();
      } catch (error) {
        if (signal.aborted) return;
        // The history has changed, or the cursor is too old.
        isBehind = error instanceof ConflictError || error instanceof GoneError || cursor === undefined;
        if (isBehind) cursor = undefined;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async function stream(): Promise<void> {
    cursor ??= await readEnd();
    if (isBehind) tell({ cursor, event: undefined });
    isBehind = false;
    const events = store.events.stream({ cursor }, { signal });
    for await (const event of events) tell({ cursor: events.cursor, event });
  }

  function tell(told: Told): void {
    cursor = told.cursor;
    channel.postMessage(told);
    if (told.event) onEvent(told.event);
    else onMissed();
  }

  async function readEnd(): Promise<string | undefined> {
    return (await store.events.list({ cursor: "latest" }, { signal }).page()).next;
  }
}

interface Told {
  readonly cursor: string | undefined;
  /** Undefined if events were missed. */
  readonly event: Event | undefined;
}

const pauseMs = 2_000;
