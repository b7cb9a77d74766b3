import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Order, Pet } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { Failure } from "../parts/notices.tsx";
import { useIsThere } from "../parts/there.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { useTellReserved } from "./use-reserve.ts";

export type Ending = "complete" | "cancel";

const verbs: Readonly<Record<Ending, string>> = { complete: "Complete", cancel: "Cancel" };

interface OrderProps {
  readonly order: Order;
  /** The name of the order's animal, if it is known. */
  readonly name: string | undefined;
  onDone(): void;
}

/** The buttons that complete or cancel an open order. `isShort` leaves out its number, which stands beside them. */
export function EndOrder({
  isOff = false,
  isShort = false,
  ...props
}: Omit<OrderProps, "onDone"> & { isOff?: boolean; isShort?: boolean; onDone?: () => void }) {
  const { order, onDone = () => {} } = props;
  const [asked, setAsked] = useState<Ending>();
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    onDone();
  };
  return (
    <>
      {order.status === "placed" &&
        (["complete", "cancel"] as const).map((ending) => {
          const title = `${verbs[ending]} order ${order.id}`;
          const className = ending === "cancel" ? "quiet" : undefined;
          return (
            <Button
              key={ending}
              className={className}
              disabled={isOff}
              aria-label={title}
              onClick={() => setAsked(ending)}
            >
              {isShort ? verbs[ending] : title}
            </Button>
          );
        })}
      {asked && <EndQuestion {...props} ending={asked} onDone={done} onClose={close} />}
    </>
  );
}

/** Asks before an order ends, which cannot be undone. If another user ends it meanwhile, the question stays and says so. */
export function EndQuestion({
  order,
  name,
  ending,
  onDone,
  onClose,
}: OrderProps & { ending: Ending; onClose: () => void }) {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const isThere = useIsThere();
  const end = useAction({
    mutationFn: async (_, options) => await store.orders[ending](order.id, options),
    onSuccess({ id, status }) {
      tell({ text: `Order ${id} is ${status}.` });
      if (isThere()) onDone();
    },
    onSettled: () => animalsChanged(queries),
  });
  const animal = name === undefined ? `animal ${order.petId}` : <bdi>{name}</bdi>;
  const isSale = ending === "complete";
  return (
    <Confirmation
      title={`${verbs[ending]} order ${order.id}?`}
      question={isSale ? <>It ends with the sale of {animal}.</> : <>It ends, and {animal} is for sale again.</>}
      action={`${verbs[ending]} it`}
      refusal="Not now"
      isExpected={isSale}
      confirmed={end}
      onClose={onClose}
    />
  );
}

/** The button that reserves an available animal, or those that end its order. They are off while changes are unsaved. */
export function OrderActions({
  pet,
  order,
  isChanged,
  onDone,
}: {
  pet: Pet;
  order: Order | undefined;
  isChanged: boolean;
  onDone: () => void;
}) {
  const store = useStore();
  const tellReserved = useTellReserved();
  const isThere = useIsThere();
  const reserve = useAction({
    mutationFn: async (_, options) => await store.orders.place({ petId: pet.id }, options),
    onSuccess(placed) {
      tellReserved(pet, placed);
      // Text that was typed meanwhile keeps the form open.
      if (isThere() && !isChanged) onDone();
    },
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
