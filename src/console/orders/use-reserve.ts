import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Order, Pet } from "../../client/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { adviceFor } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

type Named = Pick<Pet, "id" | "name">;

/** Reserves an animal at once, where nothing is open that could show what comes of it. */
export function useReserve(): (pet: Named) => Promise<void> {
  const store = useStore();
  const tell = useTell();
  const tellReserved = useTellReserved();
  const queries = useQueryClient();
  return useCallback(
    async (pet) => {
      try {
        tellReserved(pet, await store.orders.place({ petId: pet.id }));
      } catch (error) {
        tell({ text: `${pet.name} could not be reserved. ${adviceFor(error)}` });
        await animalsChanged(queries);
      }
    },
    [store, tell, tellReserved, queries],
  );
}

/** Tells that an animal was reserved, and offers to undo it. */
export function useTellReserved(): (pet: Named, order: Order) => void {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  return useCallback(
    (pet, order) => {
      const undo = async () => {
        try {
          await store.orders.cancel(order.id);
          tell({ text: `Order ${order.id} is cancelled, and ${pet.name} is for sale again.` });
        } catch (error) {
          tell({ text: `Order ${order.id} could not be cancelled. ${adviceFor(error)}` });
        }
        await animalsChanged(queries);
      };
      markAnimal(pet.id, "own");
      animalsChanged(queries);
      tell({ text: `Reserved ${pet.name} by order ${order.id}.`, action: { title: "Undo", run: undo } });
    },
    [store, tell, queries],
  );
}
