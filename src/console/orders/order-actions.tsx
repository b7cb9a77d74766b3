import { useQueryClient } from "@tanstack/react-query";
import type { Order, Pet } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { Failure } from "../parts/notices.tsx";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { EndOrder } from "./end-order.tsx";

/** Reserving an available animal, and what becomes of its reservation. */
export function OrderActions({
  pet,
  order,
  isChanged,
  onDone,
}: {
  pet: Pet;
  order: Order | undefined;
  /** Whether something was typed that would be lost. */
  isChanged: boolean;
  onDone: () => void;
}) {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const submission = useSubmission();
  const reserve = useAction({
    mutationFn: async () => await store.orders.place({ petId: pet.id }, submission.of(pet.id)),
    onSuccess({ id }) {
      animalsChanged(queries);
      tell({ text: `Reserved ${pet.name} by order ${id}.` });
      onDone();
    },
    onSettled: (_, error) => submission.settle(pet.id, error),
  });
  if (pet.status !== "available" && !order) return null;
  const isOff = reserve.isPending || isChanged;
  return (
    <>
      <div className="actions">
        {order ? (
          <EndOrder order={order} name={pet.name} isOff={isOff} onDone={onDone} />
        ) : (
          <button type="button" disabled={isOff} onClick={() => reserve.run()}>
            Reserve
          </button>
        )}
        {isChanged && <p className="hint">Save your changes first.</p>}
      </div>
      <Failure error={reserve.error} />
    </>
  );
}
