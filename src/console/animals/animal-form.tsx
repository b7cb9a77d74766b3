import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { NotFoundError, type Order, type Pet, type PetPatch, PreconditionFailedError } from "../../client/index.ts";
import { petTransitions } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { animalsChanged, names } from "../api/queries.ts";
import { type Tagged, tagged } from "../api/store.ts";
import { OrderActions } from "../orders/order-actions.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { focusComplaint, focusFirst } from "../parts/focus.ts";
import { Failure, Restored } from "../parts/notices.tsx";
import { useIsThere } from "../parts/there.ts";
import { useMay } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { changesOf, isContested, rebase } from "./animal-draft.ts";
import { Conflict } from "./conflict.tsx";
import { markAnimal } from "./marks.ts";
import { complaintsAbout, type Draft, draftOf } from "./pet-fields.ts";
import { PetInputs } from "./pet-inputs.tsx";
import { readAnimal } from "./read-animal.ts";
import { useTellChanges } from "./use-undo.ts";

/** What the draft of an animal is kept by. */
export function draftName(id: number | string): string {
  return `animal ${id}`;
}

/**
 * The fields of an animal, and what can be done with it. What others do to it meanwhile is shown at once, or, where something was
 * typed, noticed and not overwritten.
 */
export function AnimalForm({
  read,
  order,
  onEdit,
  onLeave,
  onDone,
  children,
}: {
  read: Tagged<Pet>;
  order: Order | undefined;
  /** Told whether something was typed that is not saved. */
  onEdit: (isChanged: boolean) => void;
  onLeave: () => void;
  onDone: () => void;
  /** What is shown below the fields. */
  children: ReactNode;
}) {
  const store = useStore();
  const tellChanges = useTellChanges();
  const mayWrite = useMay("write");
  const queries = useQueryClient();
  const isThere = useIsThere();
  /** What the changes are made to: the animal as it was when somebody began to type, or when a conflict was settled. */
  const [base, setBase] = useState(read);
  const { found, keep, forget } = useDraft<Draft & { before: Draft }>(draftName(read.value.id));
  const [draft, setDraft] = useState(() => (found ? rebase(found, found.before, read.value) : draftOf(read.value)));
  const [conflict, setConflict] = useState<Conflicting | undefined>(() =>
    found && isContested(found, found.before, read.value) ? { before: found.before, now: read } : undefined,
  );
  const [isDeleting, setDeleting] = useState(false);
  const pet = base.value;
  const complaints = complaintsAbout(draft, pet);
  const changes = changesOf(pet, draft);
  const isWrong = Object.keys(complaints).length > 0;
  const isChanged = isWrong || Object.keys(changes).length > 0;
  useLayoutEffect(() => onEdit(isChanged), [onEdit, isChanged]);
  useLayoutEffect(() => keep(isChanged ? { ...draft, before: conflict?.before ?? draftOf(pet) } : undefined));

  const showWhatHappened = async (error: Error) => {
    if (!(error instanceof NotFoundError || error instanceof PreconditionFailedError)) return;
    const now = await readAnimal(store, pet.id);
    queries.setQueryData(names.animal(String(pet.id)), now);
    if (now) setConflict({ before: draftOf(pet), now });
    setDeleting(false);
  };
  const save = useAction({
    mutationFn: ({ on, changes: made }: Saving) => tagged(store.pets.update(on.value.id, made, { ifMatch: on.etag })),
    onSuccess(saved, { on }) {
      animalsChanged(queries);
      forget();
      markAnimal(pet.id, "own");
      tellChanges(`Saved ${saved.value.name}.`, [{ before: on.value, after: saved.value }]);
      if (isThere()) onDone();
    },
    onError: showWhatHappened,
  });
  const remove = useAction({
    mutationFn: async () => await store.pets.delete(pet.id, { ifMatch: base.etag }),
    onSuccess() {
      // Who has gone back to the form meanwhile is told there that the animal is gone, and keeps what was typed.
      const isAwaited = isThere() && isDeleting;
      if (isAwaited) {
        forget();
        queries.removeQueries({ queryKey: names.animal(String(pet.id)) });
      }
      animalsChanged(queries);
      tellChanges(`Deleted ${pet.name}.`, [{ before: pet, after: undefined }]);
      if (isAwaited) onDone();
    },
    onError: showWhatHappened,
  });
  const edit = (changed: Partial<Draft>) => {
    setDraft({ ...draft, ...changed });
    if (save.isError && !conflict) save.reset();
  };
  const settle = (taken: Tagged<Pet>, settled: Draft) => {
    setBase(taken);
    setDraft(settled);
    setConflict(undefined);
    save.reset();
    remove.reset();
    animalsChanged(queries);
  };
  const form = useRef<HTMLFormElement>(null);
  const whyKept = useId();
  const settleAndSave = (taken: Tagged<Pet>, settled: Draft) => {
    settle(taken, settled);
    if (!isWrong) save.run({ on: taken, changes: changesOf(taken.value, settled) });
    else if (form.current) focusComplaint(form.current);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isWrong) focusComplaint(event.currentTarget);
    else if (isChanged && !conflict) save.run({ on: base, changes });
  };
  const refused = fieldsOf(save.error);
  /** While it is saved, too: what was typed then would be neither saved nor kept. */
  const isFixed = !mayWrite || save.isPending;
  const mine = conflict && rebase(draft, conflict.before, conflict.now.value);
  const isAtRest = !conflict && !isDeleting && !save.isPending;
  useLayoutEffect(() => {
    if (read.etag === base.etag || !isAtRest || complaints.categoryId) return;
    // Where nothing was typed, or what was typed is so by now, there is nothing to be asked.
    const typed = rebase(draft, draftOf(pet), read.value);
    if (Object.keys(changesOf(read.value, typed)).length > 0) return;
    setBase(read);
    setDraft(draftOf(read.value));
  });
  return (
    <>
      <form ref={form} onSubmit={submit} noValidate>
        {conflict && mine && (
          <Conflict
            before={conflict.before}
            now={conflict.now.value}
            mine={mine}
            onTakeTheirs={() => settle(conflict.now, draftOf(conflict.now.value))}
            onKeepMine={() => settleAndSave(conflict.now, mine)}
          />
        )}
        {found && isChanged && <Restored />}
        <PetInputs
          draft={draft}
          complaints={{ ...refused, ...complaints }}
          isFixed={isFixed}
          onChange={(field, text) => edit({ [field]: text })}
          nameRef={conflict ? undefined : focusFirst}
          statuses={[pet.status, ...petTransitions[pet.status]]}
          statusHint={order && `Order ${order.id} controls it.`}
        />
        {mayWrite && <OrderActions pet={pet} order={order} isChanged={isChanged} onDone={onDone} />}
        {!conflict && <Failure error={Object.keys(refused).length > 0 ? undefined : save.error} />}
        {children}
        <footer>
          {mayWrite && (
            <button
              type="button"
              className="danger quiet"
              disabled={order !== undefined}
              aria-describedby={order && whyKept}
              onClick={() => setDeleting(true)}
            >
              Delete
            </button>
          )}
          {mayWrite && order && (
            <p className="hint" id={whyKept}>
              Complete or cancel order {order.id} first.
            </p>
          )}
          {!mayWrite && <p className="hint">Your key lets you view it, but not change it.</p>}
          <span className="space" />
          <button type="button" onClick={onLeave}>
            Close
          </button>
          {mayWrite && (
            <button type="submit" className="primary" disabled={!isChanged || save.isPending || conflict !== undefined}>
              {save.isPending ? "Saving" : "Save"}
            </button>
          )}
        </footer>
      </form>
      {isDeleting && (
        <Confirmation
          title="Delete this animal?"
          question={
            <>
              <bdi>{pet.name}</bdi>, animal {pet.id}, will be gone for good in a minute; until then you can undo it. Its
              number is never given again.
            </>
          }
          action="Delete"
          confirmed={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

/** Somebody else was faster. */
interface Conflicting {
  /** What the animal was when somebody here began to type. */
  readonly before: Draft;
  readonly now: Tagged<Pet>;
}

interface Saving {
  /** The animal as the person knows it: if it has become another, nothing is saved. */
  readonly on: Tagged<Pet>;
  readonly changes: PetPatch;
}
