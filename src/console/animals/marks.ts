import { Shared, useShared } from "../parts/shared.ts";

/** The mark of an animal that this user (`own`) or another user (`other`) has just changed, or another user has deleted (`gone`). */
export type RowMark = "own" | "other" | "gone";

const marks = new Shared<ReadonlyMap<number, RowMark>>(new Map());
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export function useMarks(): ReadonlyMap<number, RowMark> {
  return useShared(marks);
}

export function markAnimal(id: number, mark: RowMark): void {
  clearTimeout(timers.get(id));
  marks.set(new Map(marks.value).set(id, mark));
  const unmark = () => {
    timers.delete(id);
    marks.set(new Map([...marks.value].filter(([marked]) => marked !== id)));
  };
  timers.set(id, setTimeout(unmark, markDurationMs));
}

const markDurationMs = 8_000;
