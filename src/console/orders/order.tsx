import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  type AnimalStore,
  ConflictError,
  NotFoundError,
  type Order,
  type Pet,
} from "../../../packages/client/src/index.ts";
import type { NewOrder } from "../../domain/order.ts";
import { History } from "../activity/timeline.tsx";
import { markAnimal } from "../animals/marks.ts";
import { isTransient, useAction } from "../api/action.ts";
import { invalidateAnimals, queryKeys, useAnimalNames, useHasScope, useTools } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { Link, useDialogUrl } from "../parts/address.tsx";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/controls.tsx";
import { Confirmation, Dialog } from "../parts/dialog.tsx";
import { describeError } from "../parts/errors.ts";
import { OrderStatusMark } from "../parts/status.tsx";
import type { Undo } from "../parts/toast.tsx";
import { Failure, QueryStatus } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";

/** Shows an order or, if `ending` is given, asks for confirmation to complete or cancel that order. */
export function OrderDialog(props: { id: string; ending: OrderEnding | undefined; onClose: () => void }) {
  const { id, ending, onClose } = props;
  const store = useStore();
  const canWrite = useHasScope("write");
  const number = parseInteger(id);
  const order = useQuery({
    queryKey: [...queryKeys.orders, "one", id],
    enabled: number !== undefined,
    queryFn: async () => await store.orders.get(number ?? 0),
  });
  const { data } = order;
  const name = useAnimalNames(data ? [data.petId] : []).get(String(data?.petId));
  if (data?.status === "placed" && canWrite && ending) {
    return <EndOrderQuestion order={data} name={name} ending={ending} onClose={onClose} />;
  }
  const isMissing = number === undefined || order.error instanceof NotFoundError;
  return (
    <Dialog
      title={`Order ${id}`}
      aside={data && <OrderStatusMark status={data.status} />}
      kind="side"
      onClose={onClose}
    >
      {isMissing ? <p>No order has the number {id}.</p> : <QueryStatus query={order} what="the order" isQuiet />}
      {data && (
        <>
          <OrderFacts order={data} name={name} />
          {canWrite && (
            <div className="actions">
              <EndOrderButtons order={data} name={name} isShort />
            </div>
          )}
          <History subject={`orders/${data.id}`} />
        </>
      )}
      <footer>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Dialog>
  );
}

function OrderFacts({ order, name }: OrderProps) {
  const toDialogUrl = useDialogUrl();
  const { petId, status, createdAt, updatedAt } = order;
  const animalLink = (
    <Link to={toDialogUrl({ animal: petId, order: undefined })}>
      <bdi>{name ?? `Animal ${petId}`}</bdi>
    </Link>
  );
  const facts = {
    petId: { title: "Animal", value: animalLink },
    createdAt: { title: "Placed", value: <Ago at={createdAt} /> },
    updatedAt: status !== "placed" && {
      title: status === "completed" ? "Completed" : "Cancelled",
      value: <Ago at={updatedAt} />,
    },
  } satisfies Record<Exclude<keyof Order, "id" | "status">, { title: string; value: ReactNode } | false>;
  return (
    <dl className="facts">
      {Object.values(facts).map(
        (fact) =>
          fact && (
            <div key={fact.title}>
              <dt>{fact.title}</dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export type OrderEnding = "complete" | "cancel";

const endingVerbs: Readonly<Record<OrderEnding, string>> = { complete: "Complete", cancel: "Cancel" };

interface OrderProps {
  readonly order: Order;
  readonly name: string | undefined;
  onDone?(): void;
}

export function EndOrderButtons(props: OrderProps & { readonly isDisabled?: boolean; readonly isShort?: boolean }) {
  const { order, isDisabled, isShort } = props;
  const [confirming, setConfirming] = useState<OrderEnding>();
  return (
    <>
      {order.status === "placed" &&
        (["complete", "cancel"] as const).map((ending) => (
          <Button
            key={ending}
            className={ending === "cancel" ? "quiet" : undefined}
            disabled={isDisabled}
            aria-label={`${endingVerbs[ending]} order ${order.id}`}
            onClick={() => setConfirming(ending)}
          >
            {isShort ? endingVerbs[ending] : `${endingVerbs[ending]} order ${order.id}`}
          </Button>
        ))}
      {confirming && <EndOrderQuestion {...props} ending={confirming} onClose={() => setConfirming(undefined)} />}
    </>
  );
}

function EndOrderQuestion(props: OrderProps & { readonly ending: OrderEnding; readonly onClose: () => void }) {
  const { order, name, ending, onDone, onClose } = props;
  const { store, notify, queries, isMounted } = useTools();
  const end = useAction({
    mutationFn: async (_, options) => await store.orders[ending](order.id, options),
    onSuccess({ id, status }) {
      notify({ text: `Order ${id} is ${status}.` });
      if (!isMounted()) return;
      onClose();
      onDone?.();
    },
    onSettled: () => invalidateAnimals(queries),
  });
  const animal = name === undefined ? `animal ${order.petId}` : <bdi>{name}</bdi>;
  const isCompletion = ending === "complete";
  return (
    <Confirmation
      title={`${endingVerbs[ending]} order ${order.id}?`}
      question={isCompletion ? <>This marks {animal} as sold.</> : <>This puts {animal} back on sale.</>}
      actionTitle={`${endingVerbs[ending]} it`}
      cancelText="Not now"
      isExpected={isCompletion}
      confirmedAction={end}
      onClose={onClose}
    />
  );
}

export function OrderActions(props: { pet: Pet; order: Order | undefined; isChanged: boolean; onDone: () => void }) {
  const { pet, order, isChanged, onDone } = props;
  const { store, isMounted } = useTools();
  const notifyOfReservation = useNotifyOfReservation();
  const reserve = useAction({
    mutationFn: async (_, options) => await store.orders.place({ petId: pet.id } satisfies NewOrder, options),
    onSuccess(placed) {
      notifyOfReservation(pet, placed);
      if (isMounted() && !isChanged) onDone();
    },
  });
  const isDisabled = reserve.isPending || isChanged;
  return (
    <>
      {(pet.status === "available" || order) && (
        <div className="actions">
          {order ? (
            <EndOrderButtons order={order} name={pet.name} isDisabled={isDisabled} onDone={onDone} />
          ) : (
            <Button disabled={isDisabled} onClick={() => reserve.run()}>
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

type NamedAnimal = Pick<Pet, "id" | "name">;

export function useReserveAnimal(): (pet: NamedAnimal) => Promise<void> {
  const { store, notify, queries } = useTools();
  const notifyOfReservation = useNotifyOfReservation();
  return async (pet) => {
    try {
      notifyOfReservation(pet, await store.orders.place({ petId: pet.id } satisfies NewOrder));
    } catch (error) {
      notify({ text: `${pet.name} could not be reserved. ${describeError(error)}` });
      await invalidateAnimals(queries);
    }
  };
}

/** Returns a function that announces a new order and offers to cancel it. If cancelling fails temporarily, repeats the offer. */
function useNotifyOfReservation(): (pet: NamedAnimal, order: Order) => void {
  const { notify, queries } = useTools();
  return (pet, order) => {
    markAnimal(pet.id, "own");
    invalidateAnimals(queries);
    const undo: Undo = {
      offeredMs: 20_000,
      async run(store, notify) {
        try {
          await cancel(store, order);
          notify({ text: `Order ${order.id} is cancelled, and ${pet.name} is for sale again.` });
        } catch (error) {
          const text = `Order ${order.id} could not be cancelled. ${describeError(error)}`;
          notify({ text, undo: isTransient(error) ? undo : undefined });
        }
        await invalidateAnimals(queries);
      },
    };
    notify({ text: `Reserved ${pet.name} with order ${order.id}.`, undo });
  };
}

/** Cancels an order. Also succeeds if an earlier attempt, whose response was lost, has already cancelled the order. */
async function cancel(store: AnimalStore, { id }: Order): Promise<void> {
  try {
    await store.orders.cancel(id);
  } catch (error) {
    const isCancelled = error instanceof ConflictError && (await store.orders.get(id)).status === "cancelled";
    if (!isCancelled) throw error;
  }
}
