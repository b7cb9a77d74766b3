import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Order } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { Button } from "../parts/button.tsx";
import { ActionConfirmation } from "../parts/dialog.tsx";
import { useIsThere } from "../parts/there.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

/** How an order can end. */
export type Ending = "complete" | "cancel";

/** Completing and cancelling an order that is open. */
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
  const [asked, setAsked] = useState<Ending>();
  return (
    <>
      {order.status === "placed" && (
        <>
          <Button disabled={isOff} aria-label={`Complete order ${order.id}`} onClick={() => setAsked("complete")}>
            {isShort ? "Complete" : `Complete order ${order.id}`}
          </Button>
          <Button
            className="quiet"
            disabled={isOff}
            aria-label={`Cancel order ${order.id}`}
            onClick={() => setAsked("cancel")}
          >
            {isShort ? "Cancel" : `Cancel order ${order.id}`}
          </Button>
        </>
      )}
      {asked && (
        <EndQuestion
          order={order}
          name={name}
          ending={asked}
          onDone={() => {
            setAsked(undefined);
            onDone?.();
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/**
 * Neither way to end an order can be taken back, so that each asks first. If somebody else ends it meanwhile, the question
 * stays, and its answer says so.
 */
export function EndQuestion({
  order,
  name,
  ending,
  onDone,
  onClose,
}: {
  order: Order;
  name: string | undefined;
  ending: Ending;
  onDone: () => void;
  onClose: () => void;
}) {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const submission = useSubmission();
  const isThere = useIsThere();
  const end = useAction({
    mutationFn: async () => await store.orders[ending](order.id, submission.of(ending)),
    onSuccess({ id, status }) {
      tell({ text: `Order ${id} is ${status}.` });
      if (isThere()) onDone();
    },
    onSettled(_, error) {
      submission.settle(ending, error);
      return animalsChanged(queries);
    },
  });
  const animal = name === undefined ? `animal ${order.petId}` : <bdi>{name}</bdi>;
  return (
    <ActionConfirmation
      title={ending === "complete" ? `Complete order ${order.id}?` : `Cancel order ${order.id}?`}
      question={
        ending === "complete" ? <>It ends with the sale of {animal}.</> : <>It ends, and {animal} is for sale again.</>
      }
      action={ending === "complete" ? "Complete it" : "Cancel it"}
      refusal="Not now"
      isExpected={ending === "complete"}
      confirmed={end}
      onClose={onClose}
    />
  );
}
