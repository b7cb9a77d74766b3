import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pick } from "../../domain/fields.ts";
import { History } from "../activity/timeline.tsx";
import { queryKeys } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { changeParameters } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { readDraft, removeDraft, saveDraft } from "../parts/drafts.ts";
import { useDiscardQuestion } from "../parts/form.tsx";
import { QueryStatus } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";
import { newAnimalDraftName } from "./add-animal.tsx";
import { AnimalForm, toDraftName } from "./animal-form.tsx";
import { type Draft, fieldNames } from "./pet-fields.ts";
import { readAnimal } from "./undo.ts";

export function AnimalDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const store = useStore();
  const number = parseInteger(id);
  const [isChanged, setChanged] = useState(false);
  const animal = useQuery({
    queryKey: queryKeys.animal(id),
    enabled: number !== undefined,
    queryFn: () => readAnimal(store, number ?? 0),
    // Disables the cache, because the form must start with the current values of the animal.
    gcTime: 0,
  });
  const { data } = animal;
  const isPending = data?.value.status === "pending";
  const order = useQuery({
    queryKey: [...queryKeys.orders, "of", id],
    enabled: isPending,
    gcTime: 0,
    queryFn: async () => (await store.orders.list({ petId: number, status: "placed" }).page()).items[0] ?? null,
  });
  const isGone = number === undefined || data === null;
  const form = { isDirty: isChanged && !isGone, forget: () => removeDraft(toDraftName(id)) };
  const { leave, question } = useDiscardQuestion(form, onClose);
  return (
    <Dialog title={data?.value.name ?? `Animal ${id}`} aside={data && `Animal ${id}`} kind="side" onClose={leave}>
      {isGone ? (
        <GoneAnimal id={id} onClose={onClose} />
      ) : (
        <>
          <QueryStatus query={animal} what="the animal" isQuiet />
          {data && (
            <AnimalForm
              current={data}
              // Ignores the order if the animal is no longer pending, because another user has then ended the order.
              order={isPending ? (order.data ?? undefined) : undefined}
              onEdit={setChanged}
              onLeave={leave}
              onDone={onClose}
            >
              <History subject={`pets/${data.value.id}`} />
            </AnimalForm>
          )}
        </>
      )}
      {question}
    </Dialog>
  );
}

function GoneAnimal({ id, onClose }: { id: string; onClose: () => void }) {
  const number = parseInteger(id);
  const typedDraft = readDraft<Draft>(toDraftName(id));
  const addAsNew = () => {
    if (typedDraft) saveDraft(newAnimalDraftName, pick(typedDraft, fieldNames));
    removeDraft(toDraftName(id));
    changeParameters({ animal: undefined, add: "animal" });
  };
  return (
    <>
      <p>No animal has the number {id}.</p>
      {typedDraft && <p>What you typed is kept: you can add it as a new animal.</p>}
      {number !== undefined && <History subject={`pets/${number}`} isGone />}
      <footer>
        {typedDraft && (
          <Button className="primary" onClick={addAsNew}>
            Add it as a new animal
          </Button>
        )}
        <Button onClick={onClose}>Back to the catalogue</Button>
      </footer>
    </>
  );
}
