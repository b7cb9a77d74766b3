import { useSyncExternalStore } from "react";
import type { OpenStore } from "../../api/store.ts";
import type { GivenList } from "./given-list.ts";
import type { ImportRun } from "./import-run.ts";

/** An import with what it was made of, so that what it has not added can be told and kept. */
export interface StartedImport {
  readonly run: ImportRun;
  readonly list: GivenList;
  readonly columns: readonly string[];
  /** Who has started it. */
  readonly open: OpenStore;
}

/** The import that somebody was led away from, by Back or by a key that was revoked, before seeing what came of it. */
export function useLeftImport(): StartedImport | undefined {
  const started = useSyncExternalStore(subscribe, () => left);
  // What was in a list is nothing for those who come after somebody who has signed out.
  return started?.open.ended() === "signed out" ? undefined : started;
}

export function keepLeftImport(started: StartedImport | undefined): void {
  left = started;
  for (const listener of listeners) listener();
}

let left: StartedImport | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
