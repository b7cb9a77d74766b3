import { useMemo, useRef, useState } from "react";
import type { Pet } from "../../client/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { adviceFor } from "../api/errors.ts";
import { longestPage } from "../api/store.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

/** The animals that the next action is for. */
export interface Selection {
  /** True if the user may do something with them. */
  readonly isOffered: boolean;
  readonly chosen: ReadonlyMap<number, Pet>;
  /** Selects or deselects a row, or selects all rows between it and the one before. */
  select(index: number, rowAt: RowAt, how: "toggle" | "range"): void;
  /** Selects all rows from one to another. */
  extend(from: number, to: number, rowAt: RowAt): void;
  add(pets: Iterable<Pet>): void;
  clear(): void;
  /** Returns a signal that is aborted when the selection is cleared: what was requested before must not be added. */
  untilCleared(): AbortSignal;
}

type RowAt = (index: number) => Pet | undefined;

export function useSelection(isOffered: boolean): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Pet>>(new Map());
  const anchor = useRef(0);
  const clearing = useRef(new AbortController());
  return useMemo(() => {
    const add = (pets: Iterable<Pet>) =>
      setChosen((before) => new Map([...before, ...[...pets].map((pet) => [pet.id, pet] as const)]));
    const extend = (one: number, other: number, rowAt: RowAt) => {
      const first = Math.min(one, other);
      const count = Math.abs(one - other) + 1;
      add(Array.from({ length: count }, (_, index) => rowAt(first + index)).filter((pet) => pet !== undefined));
    };
    return {
      isOffered,
      chosen,
      select(index, rowAt, how) {
        const pet = rowAt(index);
        if (!pet) return;
        if (how === "range") return extend(anchor.current, index, rowAt);
        anchor.current = index;
        setChosen((before) => {
          const after = new Map(before);
          if (!after.delete(pet.id)) after.set(pet.id, pet);
          return after;
        });
      },
      extend,
      add,
      clear() {
        clearing.current.abort();
        clearing.current = new AbortController();
        setChosen((before) => (before.size === 0 ? before : new Map()));
      },
      untilCleared: () => clearing.current.signal,
    };
  }, [isOffered, chosen]);
}

/** Returns a function that selects the animals of a filter, unless the user clears the selection or changes the filter meanwhile. */
export function useSelectAll(filter: PetFilter, { add, untilCleared }: Selection): () => Promise<void> {
  const store = useStore();
  const tell = useTell();
  return async () => {
    const signal = untilCleared();
    const pets: Pet[] = [];
    try {
      for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: longestPage }, { signal })) {
        if (pets.push(pet) >= maxSelected) break;
      }
      if (!signal.aborted) add(pets);
    } catch (error) {
      if (!signal.aborted) tell({ text: `The animals could not be selected. ${adviceFor(error)}` });
    }
  };
}

/** Maximum animals that one request selects. */
export const maxSelected = 1_000;
