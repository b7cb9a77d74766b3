import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import {
  NotFoundError,
  type Order,
  type Pet,
  type PetPatch,
  PreconditionFailedError,
} from "../../../packages/client/src/index.ts";
import { petTransitions } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { invalidateAnimals, queryKeys, useCategoryNames, useHasScope, useTools } from "../api/queries.ts";
import { fetchWithEtag, type WithEtag } from "../api/store.ts";
import { OrderActions } from "../orders/order.tsx";
import { Button } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { focusOnMount } from "../parts/focus.ts";
import { useForm } from "../parts/form.tsx";
import { Failure, RestoredHint } from "../parts/view.tsx";
import { markAnimal } from "./marks.ts";
import {
  type Draft,
  fieldNames,
  fieldTexts,
  findChanges,
  findComplaints,
  formatFieldText,
  hasConflict,
  rebase,
  toDraft,
  toPet,
} from "./pet-fields.ts";
import { PetInputs } from "./pet-inputs.tsx";
import { readAnimal, useNotifyOfChanges } from "./undo.ts";

export function toDraftName(id: number | string): string {
  return `animal ${id}`;
}

interface AnimalFormProps {
  readonly current: WithEtag<Pet>;
  readonly order: Order | undefined;
  readonly onEdit: (isChanged: boolean) => void;
  readonly onLeave: () => void;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** The fields and actions of an animal. Changes by other users appear at once or, if they conflict with unsaved edits, the user decides. */
export function AnimalForm({ current, order, onEdit, onLeave, onDone, children }: AnimalFormProps) {
  const canWrite = useHasScope("write");
  const { form, base, conflict, isDeleting, setDeleting, save, remove, resolve } = useAnimalForm(current, onDone);
  const { isDirty, isPending } = form;
  useLayoutEffect(() => onEdit(isDirty), [onEdit, isDirty]);
  const element = useRef<HTMLFormElement>(null);
  const pet = base.value;
  const keepMine = ({ now, mine }: Conflict) => {
    resolve(now, mine);
    if (element.current && form.check(element.current)) save.run({ base: now, changes: findChanges(now.value, mine) });
  };
  const submit = form.submit(() => {
    if (isDirty && !conflict) save.run({ base, changes: findChanges(pet, form.draft) });
  });
  return (
    <>
      <form ref={element} onSubmit={submit} noValidate>
        {conflict && (
          <ConflictNotice
            {...conflict}
            onTakeTheirs={() => resolve(conflict.now, toDraft(conflict.now.value))}
            onKeepMine={() => keepMine(conflict)}
          />
        )}
        {form.isRestored && isDirty && <RestoredHint />}
        <PetInputs
          field={(name) => ({ ...form.field(name), readOnly: !canWrite || isPending })}
          nameRef={conflict ? undefined : focusOnMount}
          statuses={[pet.status, ...petTransitions[pet.status]]}
          statusHint={order && `Order ${order.id} controls the status.`}
        />
        {canWrite && <OrderActions pet={pet} order={order} isChanged={isDirty} onDone={onDone} />}
        {!conflict && <Failure error={form.error} />}
        {children}
        <footer>
          {canWrite ? (
            <DeleteButton order={order} isDisabled={conflict !== undefined} onClick={() => setDeleting(true)} />
          ) : (
            <p className="hint">Your key lets you view this animal, but not change it.</p>
          )}
          <span className="space" />
          <Button onClick={onLeave}>Close</Button>
          {canWrite && (
            <button type="submit" className="primary" disabled={!isDirty || isPending || conflict !== undefined}>
              {isPending ? "Saving" : "Save"}
            </button>
          )}
        </footer>
      </form>
      {isDeleting && (
        <Confirmation
          title="Delete this animal?"
          question={
            <>
              You can undo this for a minute; then <bdi>{pet.name}</bdi>, animal {pet.id}, is gone for good. Its number
              is never reused.
            </>
          }
          actionTitle="Delete"
          confirmedAction={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function DeleteButton(props: { order: Order | undefined; isDisabled: boolean; onClick: () => void }) {
  const { order, isDisabled, onClick } = props;
  const id = useId();
  return (
    <>
      <Button
        className="danger quiet"
        disabled={isDisabled || order !== undefined}
        aria-describedby={order && id}
        onClick={onClick}
      >
        Delete
      </Button>
      {order && (
        <p className="hint" id={id}>
          Complete or cancel order {order.id} first.
        </p>
      )}
    </>
  );
}

/** Unsaved edits that conflict with another user's newer version. Only a decision by the user ends the conflict. */
interface Conflict {
  /** The animal's fields when the user began to type. */
  readonly before: Draft;
  readonly now: WithEtag<Pet>;
  readonly mine: Draft;
}

function useAnimalForm(current: WithEtag<Pet>, onDone: () => void) {
  const { store, queries, isMounted } = useTools();
  const notifyOfChanges = useNotifyOfChanges();
  const storedDraft = useStoredDraft<Draft & { before: Draft }>(toDraftName(current.value.id));
  const { restored } = storedDraft;
  const isOutdated = restored !== undefined && hasConflict(restored, restored.before, current.value);
  /** The version that the user edits: the version when the user began to type or last resolved a conflict. */
  const [base, setBase] = useState<WithEtag<Pet>>(
    isOutdated ? { value: { ...current.value, ...toPet(restored.before) }, etag: undefined } : current,
  );
  const pet = base.value;
  /** The newer version that made a write fail, or that conflicts with a restored draft. */
  const [newer, setNewer] = useState(isOutdated ? current : undefined);
  const [isDeleting, setDeleting] = useState(false);
  const showCurrent = async (error: Error) => {
    if (!(error instanceof NotFoundError || error instanceof PreconditionFailedError)) return;
    const now = await readAnimal(store, pet.id);
    queries.setQueryData(queryKeys.animal(String(pet.id)), now);
    setDeleting(false);
    setNewer(now ?? undefined);
  };
  const save = useAction({
    mutationFn: ({ base, changes }: { base: WithEtag<Pet>; changes: PetPatch }) =>
      fetchWithEtag(store.pets.update(pet.id, changes, { ifMatch: base.etag })),
    onSuccess(saved, saving) {
      invalidateAnimals(queries);
      form.forget();
      markAnimal(pet.id, "own");
      notifyOfChanges(`Saved ${saved.value.name}.`, [{ before: saving.base.value, after: saved.value }]);
      if (isMounted()) onDone();
    },
    onError: showCurrent,
  });
  const remove = useAction({
    mutationFn: async () => await store.pets.delete(pet.id, { ifMatch: base.etag }),
    onSuccess() {
      form.forget();
      queries.removeQueries({ queryKey: queryKeys.animal(String(pet.id)) });
      invalidateAnimals(queries);
      notifyOfChanges(`Deleted ${pet.name}.`, [{ before: pet, after: undefined }]);
      if (isMounted()) onDone();
    },
    onError: showCurrent,
  });
  const form = useForm<Draft>({
    initial: toDraft(pet),
    storedDraft: {
      ...storedDraft,
      restored: restored && rebase(restored, restored.before, current.value),
      keep: (draft) => storedDraft.keep(draft && { ...draft, before: toDraft(pet) }),
    },
    sending: save,
    isDirty: (draft) => Object.keys({ ...findComplaints(draft, pet), ...findChanges(pet, draft) }).length > 0,
    findComplaints: (draft) => findComplaints(draft, pet),
  });
  const resolve = (version: WithEtag<Pet>, draft: Draft) => {
    setBase(version);
    form.reset(draft);
    setNewer(undefined);
    save.reset();
    remove.reset();
    invalidateAnimals(queries);
  };
  useLayoutEffect(() => {
    if (current.etag === base.etag || newer || isDeleting || save.isPending || !form.isValid) return;
    // Adopts the current version without asking if there are no edits, or if the animal already has the edited values.
    const rebased = rebase(form.draft, toDraft(pet), current.value);
    if (Object.keys(findChanges(current.value, rebased)).length > 0) return;
    setBase(current);
    form.reset(toDraft(current.value));
  });
  const before = toDraft(pet);
  const conflict: Conflict | undefined = newer && { before, now: newer, mine: rebase(form.draft, before, newer.value) };
  return { form, base, conflict, isDeleting, setDeleting, save, remove, resolve };
}

/** Compares the current version with the user's edits. Without edits, as before a deletion, the user only acknowledges the change. */
function ConflictNotice(props: Conflict & { onTakeTheirs: () => void; onKeepMine: () => void }) {
  const { before, now, mine, onTakeTheirs, onKeepMine } = props;
  const categories = useCategoryNames();
  const current = toDraft(now.value);
  const isDirty = fieldNames.some((field) => current[field] !== mine[field]);
  const fields = fieldNames.filter((field) => current[field] !== before[field] || current[field] !== mine[field]);
  return (
    <div className="notice conflict" role="alert" tabIndex={-1} ref={focusOnMount}>
      <p>
        Somebody else has changed this animal since you opened it.{" "}
        {isDirty ? "Your changes are not saved yet." : "Check it before you continue."}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Now</th>
            {isDirty && <th scope="col">With your changes</th>}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <th scope="row">{fieldTexts[field].label}</th>
              <td dir="auto">{formatFieldText(field, current[field], categories)}</td>
              {isDirty && <td dir="auto">{formatFieldText(field, mine[field], categories)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <Button onClick={onTakeTheirs}>{isDirty ? "Discard my changes" : "Continue"}</Button>
        {isDirty && <Button onClick={onKeepMine}>Keep my changes</Button>}
      </div>
    </div>
  );
}
