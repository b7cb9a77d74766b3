import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Order } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { ActionConfirmation } from "../parts/dialog.tsx";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

/**
 * Completing and cancelling an order that is open. Neither can be taken back, so that each asks first. If somebody else ends it
 * meanwhile, the question stays, and its answer says so.
 */
export function EndOrder({
  order,
  name,
  isOff = false,
  isShort = false,
  onDone,
}: {
  order: Order;
  /** Of its animal, if it is known. */
  name: string | undefined;
  isOff?: boolean;
  /** Whether people see beside it which order it is. */
  isShort?: boolean;
  onDone?: () => void;
}) {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const submission = useSubmission();
  const [asked, setAsked] = useState<"complete" | "cancel">();
  const end = useAction({
    mutationFn: async () => {
      const how = asked ?? "cancel";
      return await store.orders[how](order.id, submission.of(how));
    },
    onSuccess({ id, status }) {
      tell({ text: `Order ${id} is ${status}.` });
      setAsked(undefined);
      onDone?.();
    },
    onSettled(_, error) {
      submission.settle(asked, error);
      return animalsChanged(queries);
    },
  });
  const animal = name === undefined ? `animal ${order.petId}` : <bdi>{name}</bdi>;
  return (
    <>
      {order.status === "placed" && (
        <>
          <button
            type="button"
            disabled={isOff}
            aria-label={`Complete order ${order.id}`}
            onClick={() => setAsked("complete")}
          >
            {isShort ? "Complete" : `Complete order ${order.id}`}
          </button>
          <button
            type="button"
            className="quiet"
            disabled={isOff}
            aria-label={`Cancel order ${order.id}`}
            onClick={() => setAsked("cancel")}
          >
            {isShort ? "Cancel" : `Cancel order ${order.id}`}
          </button>
        </>
      )}
      {asked && (
        <ActionConfirmation
          title={asked === "complete" ? `Complete order ${order.id}?` : `Cancel order ${order.id}?`}
          question={
            asked === "complete" ? (
              <>It ends with the sale of {animal}.</>
            ) : (
              <>It ends, and {animal} is for sale again.</>
            )
          }
          action={asked === "complete" ? "Complete it" : "Cancel it"}
          refusal="Not now"
          confirmed={end}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
