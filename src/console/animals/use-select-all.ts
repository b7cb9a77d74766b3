import type { Pet } from "../../client/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { adviceFor } from "../api/errors.ts";
import { longestPage } from "../api/store.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import type { Selection } from "./selection.ts";

/** Selects the animals that a filter shows, as long as nobody has cleared the selection or chosen another filter meanwhile. */
export function useSelectAll(filter: PetFilter, { add, untilCleared }: Selection): () => Promise<void> {
  const store = useStore();
  const tell = useTell();
  return async () => {
    const signal = untilCleared();
    const pets: Pet[] = [];
    try {
      for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: longestPage }, { signal })) {
        if (pets.push(pet) >= mostSelected) break;
      }
      if (!signal.aborted) add(pets);
    } catch (error) {
      if (!signal.aborted) tell({ text: `The animals could not be selected. ${adviceFor(error)}` });
    }
  };
}

/** As many as a person can still mean. */
export const mostSelected = 1_000;
