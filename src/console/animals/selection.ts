import { useCallback, useMemo, useRef, useState } from "react";
import type { Pet } from "../../client/index.ts";

/** The animals that something is to be done with. */
export interface Selection {
  /** Whether there is anything to be done with them. */
  readonly isOffered: boolean;
  readonly chosen: ReadonlyMap<number, Pet>;
  /** Takes a row in or out, or everything between it and the one before. */
  select(index: number, rowAt: RowAt, how: "toggle" | "range"): void;
  /** Takes in everything from one row to another. */
  extend(from: number, to: number, rowAt: RowAt): void;
  add(pets: Iterable<Pet>): void;
  clear(): void;
  /** Aborted once it is cleared, after which nothing that was asked for before is to be added. */
  untilCleared(): AbortSignal;
}

type RowAt = (index: number) => Pet | undefined;

export function useSelection(isOffered: boolean): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Pet>>(new Map());
  const anchor = useRef(0);
  const clearing = useRef(new AbortController());
  const add = useCallback((pets: Iterable<Pet>) => {
    setChosen((before) => new Map([...before, ...[...pets].map((pet) => [pet.id, pet] as const)]));
  }, []);
  return useMemo(
    () => ({
      isOffered,
      chosen,
      select(index, rowAt, how) {
        const pet = rowAt(index);
        if (!pet) return;
        if (how === "range") return add(between(anchor.current, index, rowAt));
        anchor.current = index;
        setChosen((before) => {
          const after = new Map(before);
          if (!after.delete(pet.id)) after.set(pet.id, pet);
          return after;
        });
      },
      extend: (from, to, rowAt) => add(between(from, to, rowAt)),
      add,
      clear() {
        clearing.current.abort();
        clearing.current = new AbortController();
        setChosen((before) => (before.size === 0 ? before : new Map()));
      },
      untilCleared: () => clearing.current.signal,
    }),
    [isOffered, chosen, add],
  );
}

function between(one: number, other: number, rowAt: RowAt): Pet[] {
  const [first, last] = one < other ? [one, other] : [other, one];
  const pets: Pet[] = [];
  for (let index = first; index <= last; index++) {
    const pet = rowAt(index);
    if (pet) pets.push(pet);
  }
  return pets;
}
