import type { Order, Pet } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { useSubmission } from "../api/submission.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/notices.tsx";
import { useIsThere } from "../parts/there.ts";
import { useStore } from "../session/session.tsx";
import { EndOrder } from "./end-order.tsx";
import { useTellReserved } from "./use-reserve.ts";

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
  const tellReserved = useTellReserved();
  const submission = useSubmission();
  const isThere = useIsThere();
  const reserve = useAction({
    mutationFn: async () => await store.orders.place({ petId: pet.id }, submission.of(pet.id)),
    onSuccess(placed) {
      tellReserved(pet, placed);
      // Who has typed something meanwhile is not to lose the form.
      if (isThere() && !isChanged) onDone();
    },
    onSettled: (_, error) => submission.settle(pet.id, error),
  });
  const isOff = reserve.isPending || isChanged;
  return (
    <>
      {(pet.status === "available" || order) && (
        <div className="actions">
          {order ? (
            <EndOrder order={order} name={pet.name} isOff={isOff} onDone={onDone} />
          ) : (
            <Button disabled={isOff} onClick={() => reserve.run()}>
              Reserve
            </Button>
          )}
          {isChanged && <p className="hint">Save your changes first.</p>}
        </div>
      )}
      <Failure error={reserve.error} />
    </>
  );
}
