import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type AnimalStore, ConflictError, type Order, type Pet } from "../../../packages/client/src/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { adviceFor } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { mayPass } from "../api/submission.ts";
import { type News, type Undo, useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

type Named = Pick<Pet, "id" | "name">;

/** Returns a function that reserves an animal where no open form could show the outcome. */
export function useReserve(): (pet: Named) => Promise<void> {
  const store = useStore();
  const tell = useTell();
  const tellReserved = useTellReserved();
  const queries = useQueryClient();
  return async (pet) => {
    try {
      tellReserved(pet, await store.orders.place({ petId: pet.id }));
    } catch (error) {
      tell({ text: `${pet.name} could not be reserved. ${adviceFor(error)}` });
      await animalsChanged(queries);
    }
  };
}

/** Returns a function that announces a new order, with an offer to undo it. */
export function useTellReserved(): (pet: Named, order: Order) => void {
  const tell = useTell();
  const queries = useQueryClient();
  return (pet, order) => {
    markAnimal(pet.id, "own");
    animalsChanged(queries);
    tell(offer(queries, `Reserved ${pet.name} by order ${order.id}.`, pet, order));
  };
}

/** After a transient failure, undoing is offered again. */
function offer(queries: QueryClient, text: string, pet: Named, order: Order): News {
  const run: Undo["run"] = async (store, tell) => {
    try {
      await cancel(store, order);
      tell({ text: `Order ${order.id} is cancelled, and ${pet.name} is for sale again.` });
    } catch (error) {
      const failure = `Order ${order.id} could not be cancelled. ${adviceFor(error)}`;
      tell(mayPass(error) ? offer(queries, failure, pet, order) : { text: failure });
    }
    await animalsChanged(queries);
  };
  return { text, undo: { run, ms: 20_000 } };
}

/** Cancels an order. An earlier try may have cancelled it without its response arriving. */
async function cancel(store: AnimalStore, { id }: Order): Promise<void> {
  try {
    await store.orders.cancel(id);
  } catch (error) {
    const isCancelled = error instanceof ConflictError && (await store.orders.get(id)).status === "cancelled";
    if (!isCancelled) throw error;
  }
}
