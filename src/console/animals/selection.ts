import { useEffect, useRef, useState } from "react";
import type { Pet } from "../../../packages/client/src/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { useHasScope, useTools } from "../api/queries.ts";
import { maxPageSize } from "../api/store.ts";
import { describeError } from "../parts/errors.ts";

export type Selection = ReturnType<typeof useSelection>;

type RowAt = (index: number) => Pet | undefined;

export function useSelection(filter: PetFilter) {
  const { store, notify } = useTools();
  const isEnabled = useHasScope("write");
  const [chosen, setChosen] = useState<ReadonlyMap<number, Pet>>(new Map());
  const anchor = useRef(0);
  /** The controller of a running "Select all". Aborted when the selection or the filter changes: late animals must not be added. */
  const selectAllController = useRef<AbortController>(undefined);
  useEffect(() => () => selectAllController.current?.abort(), []);
  const add = (pets: readonly Pet[]) =>
    setChosen((before) => new Map([...before.values(), ...pets].map((pet) => [pet.id, pet])));
  const addRange = (one: number, other: number, rowAt: RowAt) => {
    const first = Math.min(one, other);
    const rows = Array.from({ length: Math.abs(one - other) + 1 }, (_, index) => rowAt(first + index));
    add(rows.filter((pet) => pet !== undefined));
  };
  return {
    isEnabled,
    chosen,
    addRange,
    /** Toggles a row or, if `isRange` is true, selects all rows between the last toggled row and this row. */
    select(index: number, rowAt: RowAt, isRange: boolean) {
      const pet = rowAt(index);
      if (!pet) return;
      if (isRange) return addRange(anchor.current, index, rowAt);
      anchor.current = index;
      setChosen((before) => {
        const after = new Map(before);
        if (!after.delete(pet.id)) after.set(pet.id, pet);
        return after;
      });
    },
    replace(pets: readonly Pet[]): void {
      selectAllController.current?.abort();
      setChosen(new Map(pets.map((pet) => [pet.id, pet])));
    },
    async selectAll(): Promise<void> {
      selectAllController.current?.abort();
      selectAllController.current = new AbortController();
      const { signal } = selectAllController.current;
      const pets: Pet[] = [];
      try {
        for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: maxPageSize }, { signal })) {
          if (pets.push(pet) >= maxSelectedAnimals) break;
        }
        if (!signal.aborted) add(pets);
      } catch (error) {
        if (!signal.aborted) notify({ text: `The animals could not be selected. ${describeError(error)}` });
      }
    },
  };
}

export const maxSelectedAnimals = 1_000;
