import { useQueryClient } from "@tanstack/react-query";
import type { Order, Pet } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { Failure } from "../parts/notices.tsx";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

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
  const act = useAction({
    mutationFn: async (how: "place" | "complete" | "cancel") => {
      const options = submission.of(how);
      if (how === "place" || !order) return await store.orders.place({ petId: pet.id }, options);
      return await store.orders[how](order.id, options);
    },
    onSuccess({ id, status }) {
      animalsChanged(queries);
      tell({ text: status === "placed" ? `Reserved ${pet.name} by order ${id}.` : `Order ${id} is ${status}.` });
      onDone();
    },
    onSettled: (_, error, how) => submission.settle(how, error),
  });
  if (pet.status !== "available" && !order) return null;
  const isOff = act.isPending || isChanged;
  return (
    <>
      <div className="actions">
        {order ? (
          <>
            <button type="button" disabled={isOff} onClick={() => act.run("complete")}>
              Complete order {order.id}
            </button>
            <button type="button" disabled={isOff} onClick={() => act.run("cancel")}>
              Cancel order {order.id}
            </button>
          </>
        ) : (
          <button type="button" disabled={isOff} onClick={() => act.run("place")}>
            Reserve
          </button>
        )}
        {isChanged && <p className="hint">Save your changes first.</p>}
      </div>
      <Failure error={act.error} />
    </>
  );
}
