import { useMemo, useRef, useState } from "react";
import type { Pet } from "../../../packages/client/src/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { useTools } from "../api/queries.ts";
import { maxPageSize } from "../api/store.ts";
import { adviceFor } from "../parts/errors.ts";

export type Selection = ReturnType<typeof useSelection>;

type RowAt = (index: number) => Pet | undefined;

export function useSelection(isEnabled: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Pet>>(new Map());
  const anchor = useRef(0);
  const clearing = useRef(new AbortController());
  return useMemo(() => {
    const add = (pets: Iterable<Pet>) =>
      setChosen((before) => new Map([...before, ...[...pets].map((pet) => [pet.id, pet] as const)]));
    const addRange = (one: number, other: number, rowAt: RowAt) => {
      const first = Math.min(one, other);
      const count = Math.abs(one - other) + 1;
      add(Array.from({ length: count }, (_, index) => rowAt(first + index)).filter((pet) => pet !== undefined));
    };
    return {
      isEnabled,
      chosen,
      /** Toggles a row, or selects all rows from the row that was toggled last to this one. */
      select(index: number, rowAt: RowAt, how: "toggle" | "range") {
        const pet = rowAt(index);
        if (!pet) return;
        if (how === "range") return addRange(anchor.current, index, rowAt);
        anchor.current = index;
        setChosen((before) => {
          const after = new Map(before);
          if (!after.delete(pet.id)) after.set(pet.id, pet);
          return after;
        });
      },
      addRange,
      add,
      clear(): void {
        clearing.current.abort();
        clearing.current = new AbortController();
        setChosen((before) => (before.size === 0 ? before : new Map()));
      },
      /** Returns a signal that is aborted when the selection is cleared, because animals that were requested earlier must not be added. */
      getClearSignal: () => clearing.current.signal,
    };
  }, [isEnabled, chosen]);
}

export function useSelectAll(filter: PetFilter, { add, getClearSignal }: Selection): () => Promise<void> {
  const { store, notify } = useTools();
  return async () => {
    const signal = getClearSignal();
    const pets: Pet[] = [];
    try {
      for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: maxPageSize }, { signal })) {
        if (pets.push(pet) >= maxSelected) break;
      }
      if (!signal.aborted) add(pets);
    } catch (error) {
      if (!signal.aborted) notify({ text: `The animals could not be selected. ${adviceFor(error)}` });
    }
  };
}

export const maxSelected = 1_000;
