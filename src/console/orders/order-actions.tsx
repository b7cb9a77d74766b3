import { useQueryClient } from "@tanstack/react-query";
import { useAction } from "../api/action.ts";
import type { Order, Pet } from "../api/api.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { Failure } from "../parts/notices.tsx";
import { useApi } from "../session/session.tsx";

/** Reserving an available animal, and what becomes of its reservation. */
export function OrderActions({
  pet,
  order,
  isChanged,
  onNews,
  onDone,
}: {
  pet: Pet;
  order: Order | undefined;
  /** Whether something was typed that would be lost. */
  isChanged: boolean;
  onNews: (news: string) => void;
  onDone: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const submission = useSubmission();
  const act = useAction({
    mutationFn: (how: "place" | "complete" | "cancel") => {
      const name = submission.nameFor(how);
      return how === "place" || !order ? api.placeOrder(pet.id, name) : api.endOrder(order.id, how, name);
    },
    onSuccess({ id, status }) {
      animalsChanged(queries);
      onNews(status === "placed" ? `Reserved ${pet.name} by order ${id}.` : `Order ${id} is ${status}.`);
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
