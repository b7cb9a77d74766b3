import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pick } from "../../domain/fields.ts";
import { History } from "../activity/history.tsx";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { changeParameters } from "../parts/address.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { draftOf, forgetDraft, keepDraft } from "../parts/drafts.ts";
import { Failure, Loading } from "../parts/notices.tsx";
import { useStore } from "../session/session.tsx";
import { newAnimal } from "./add-animal.tsx";
import { AnimalForm, draftName } from "./animal-form.tsx";
import { type Draft, fieldNames } from "./pet-fields.ts";
import { readAnimal } from "./read-animal.ts";

/** One animal: to look at, to change, to reserve, to delete. */
export function AnimalDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const store = useStore();
  const number = integerIn(id);
  const [isChanged, setChanged] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const animal = useQuery({
    queryKey: names.animal(id),
    enabled: number !== undefined,
    queryFn: () => readAnimal(store, number ?? 0),
    // A form begins with the animal as it is, and not as it was when it was last looked at.
    gcTime: 0,
  });
  const order = useQuery({
    queryKey: [...names.orders, "of", id],
    enabled: animal.data?.value.status === "pending",
    gcTime: 0,
    queryFn: async () => (await store.orders.list({ petId: number, status: "placed" }).page()).items[0] ?? null,
  });
  const isGone = number === undefined || animal.data === null;
  const leave = () => (isChanged && !isGone ? setLeaving(true) : onClose());
  const typed = isGone ? draftOf<Draft>(draftName(id)) : undefined;
  const addAnew = () => {
    if (typed) keepDraft(newAnimal, pick(typed, fieldNames));
    forgetDraft(draftName(id));
    changeParameters({ animal: undefined, add: "animal" });
  };
  const discard = () => {
    forgetDraft(draftName(id));
    onClose();
  };
  return (
    <Dialog
      title={animal.data?.value.name ?? `Animal ${id}`}
      aside={animal.data && `Animal ${id}`}
      kind="side"
      onClose={leave}
    >
      {isGone ? (
        <>
          <p>No animal has the number {id}.</p>
          {typed && <p>What you typed is kept: you can add it as a new animal.</p>}
          {number !== undefined && <History subject={`pets/${number}`} isGone />}
          <footer>
            {typed && (
              <button type="button" className="primary" onClick={addAnew}>
                Add it as a new animal
              </button>
            )}
            <button type="button" onClick={onClose}>
              Back to the catalogue
            </button>
          </footer>
        </>
      ) : (
        <>
          {animal.isPending && <Loading what="the animal" />}
          <Failure error={animal.data ? undefined : animal.error} onRetry={() => animal.refetch()} />
          {animal.data && (
            <AnimalForm
              read={animal.data}
              // One that was read before somebody else ended it is no longer asked for.
              order={animal.data.value.status === "pending" ? (order.data ?? undefined) : undefined}
              onEdit={setChanged}
              onLeave={leave}
              onDone={onClose}
            >
              <History subject={`pets/${animal.data.value.id}`} />
            </AnimalForm>
          )}
        </>
      )}
      {isLeaving && <DiscardQuestion onDiscard={discard} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}
