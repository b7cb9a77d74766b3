import { useSyncExternalStore } from "react";

/** Who has changed an animal: the person at this page, or somebody else, who may also have deleted it. */
export type Mark = "own" | "other" | "gone";

/** Marks an animal for a while, so that people see what has changed and where. */
export function markAnimal(id: number, mark: Mark): void {
  clearTimeout(timers.get(id));
  change((all) => all.set(id, mark));
  timers.set(
    id,
    setTimeout(() => {
      timers.delete(id);
      change((all) => all.delete(id));
    }, markedMs),
  );
}

export function useMarks(): ReadonlyMap<number, Mark> {
  return useSyncExternalStore(subscribe, () => marks);
}

const markedMs = 8_000;
let marks: ReadonlyMap<number, Mark> = new Map();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function change(how: (all: Map<number, Mark>) => void): void {
  const all = new Map(marks);
  how(all);
  marks = all;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
