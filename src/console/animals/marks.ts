import { Shared, useShared } from "../parts/shared.ts";

/** Marks the row of an animal that this user (`own`) or another user (`other`) has just changed, or another user has deleted (`gone`). */
export type Mark = "own" | "other" | "gone";

const marks = new Shared<ReadonlyMap<number, Mark>>(new Map());
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export function useMarks(): ReadonlyMap<number, Mark> {
  return useShared(marks);
}

export function markAnimal(id: number, mark: Mark): void {
  clearTimeout(timers.get(id));
  marks.set(new Map(marks.value).set(id, mark));
  const unmark = () => {
    timers.delete(id);
    marks.set(new Map([...marks.value].filter(([marked]) => marked !== id)));
  };
  timers.set(id, setTimeout(unmark, markedMs));
}

const markedMs = 8_000;
