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
import { fieldErrorsOf } from "../api/errors.ts";
import { invalidateAnimals, queryKeys, useCategoryNames, useHasScope, useTools } from "../api/queries.ts";
import { type WithEtag, withEtag } from "../api/store.ts";
import { OrderActions } from "../orders/order.tsx";
import { Button } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { focusOnMount } from "../parts/focus.ts";
import { useForm } from "../parts/form.tsx";
import { Failure, RestoredHint } from "../parts/view.tsx";
import { markAnimal } from "./marks.ts";
import {
  changesOf,
  type Draft,
  displayText,
  fieldNames,
  fieldTexts,
  findComplaints,
  hasConflict,
  rebase,
  toDraft,
} from "./pet-fields.ts";
import { PetInputs } from "./pet-inputs.tsx";
import { readAnimal, useNotifyOfChanges } from "./undo.ts";

export function draftName(id: number | string): string {
  return `animal ${id}`;
}

interface AnimalFormProps {
  readonly read: WithEtag<Pet>;
  readonly order: Order | undefined;
  /** Called with true while there are unsaved changes. */
  readonly onEdit: (isChanged: boolean) => void;
  readonly onLeave: () => void;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** The fields and actions of an animal. Changes of other users show at once, unless they meet unsaved changes: then the user decides. */
export function AnimalForm({ read, order, onEdit, onLeave, onDone, children }: AnimalFormProps) {
  const canWrite = useHasScope("write");
  const { form, base, phase, setPhase, save, remove, settle } = useAnimalForm(read, onDone);
  const { isDirty, isPending } = form;
  useLayoutEffect(() => onEdit(isDirty), [onEdit, isDirty]);
  const element = useRef<HTMLFormElement>(null);
  const pet = base.value;
  const keepMine = ({ before, now }: Conflicting) => {
    const mine = rebase(form.draft, before, now.value);
    settle(now, mine);
    if (element.current && form.check(element.current)) save.run({ on: now, changes: changesOf(now.value, mine) });
  };
  const submit = form.submit(() => {
    if (isDirty && phase.is !== "conflict") save.run({ on: base, changes: changesOf(pet, form.draft) });
  });
  return (
    <>
      <form ref={element} onSubmit={submit} noValidate>
        {phase.is === "conflict" && (
          <Conflict
            before={phase.before}
            now={phase.now.value}
            mine={rebase(form.draft, phase.before, phase.now.value)}
            onTakeTheirs={() => settle(phase.now, toDraft(phase.now.value))}
            onKeepMine={() => keepMine(phase)}
          />
        )}
        {form.isRestored && isDirty && <RestoredHint />}
        <PetInputs
          field={(name) => ({ ...form.field(name), readOnly: !canWrite || isPending })}
          nameRef={phase.is === "conflict" ? undefined : focusOnMount}
          statuses={[pet.status, ...petTransitions[pet.status]]}
          statusHint={order && `Order ${order.id} controls it.`}
        />
        {canWrite && <OrderActions pet={pet} order={order} isChanged={isDirty} onDone={onDone} />}
        {phase.is !== "conflict" && <Failure error={form.error} />}
        {children}
        <footer>
          {canWrite ? (
            <DeleteButton order={order} isOff={phase.is === "conflict"} onClick={() => setPhase({ is: "deleting" })} />
          ) : (
            <p className="hint">Your key lets you view it, but not change it.</p>
          )}
          <span className="space" />
          <Button onClick={onLeave}>Close</Button>
          {canWrite && (
            <button type="submit" className="primary" disabled={!isDirty || isPending || phase.is === "conflict"}>
              {isPending ? "Saving" : "Save"}
            </button>
          )}
        </footer>
      </form>
      {phase.is === "deleting" && (
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
          onClose={() => setPhase({ is: "editing" })}
        />
      )}
    </>
  );
}

/** An animal is not deleted while an order or a conflict has to be settled first. */
function DeleteButton({ order, isOff, onClick }: { order: Order | undefined; isOff: boolean; onClick: () => void }) {
  const id = useId();
  return (
    <>
      <Button
        className="danger quiet"
        disabled={isOff || order !== undefined}
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

/**
 * The form begins in `editing`, or in `conflict` if it restores a draft that contradicts the animal. A write that finds another
 * version leads to `conflict`, which only the user's decision ends. `deleting` ends with the question.
 */
type Phase = { readonly is: "editing" | "deleting" } | Conflicting;

interface Conflicting {
  readonly is: "conflict";
  /** The animal when the user began to type. */
  readonly before: Draft;
  readonly now: WithEtag<Pet>;
}

interface Saving {
  /** The version that the changes are based on: nothing is saved if the animal has another by then. */
  readonly on: WithEtag<Pet>;
  readonly changes: PetPatch;
}

function useAnimalForm(read: WithEtag<Pet>, onDone: () => void) {
  const { store, queries, isMounted } = useTools();
  const tellChanges = useNotifyOfChanges();
  /** The version that the changes are based on: as the user began to type, or as a conflict was settled. */
  const [base, setBase] = useState(read);
  const pet = base.value;
  const kept = useStoredDraft<Draft & { before: Draft }>(draftName(pet.id));
  const { found } = kept;
  const [phase, setPhase] = useState<Phase>(
    found && hasConflict(found, found.before, read.value)
      ? { is: "conflict", before: found.before, now: read }
      : { is: "editing" },
  );
  const showCurrent = async (error: Error) => {
    if (!(error instanceof NotFoundError || error instanceof PreconditionFailedError)) return;
    const now = await readAnimal(store, pet.id);
    queries.setQueryData(queryKeys.animal(String(pet.id)), now);
    setPhase(now ? { is: "conflict", before: toDraft(pet), now } : { is: "editing" });
  };
  const save = useAction({
    mutationFn: ({ on, changes }: Saving) => withEtag(store.pets.update(on.value.id, changes, { ifMatch: on.etag })),
    onSuccess(saved, { on }) {
      invalidateAnimals(queries);
      form.forget();
      markAnimal(pet.id, "own");
      tellChanges(`Saved ${saved.value.name}.`, [{ before: on.value, after: saved.value }]);
      if (isMounted()) onDone();
    },
    onError: showCurrent,
  });
  const remove = useAction({
    mutationFn: async () => await store.pets.delete(pet.id, { ifMatch: base.etag }),
    onSuccess() {
      // A user who has gone back to the form is told there that the animal is gone, and keeps what was typed.
      const isAwaited = isMounted() && phase.is === "deleting";
      if (isAwaited) {
        form.forget();
        queries.removeQueries({ queryKey: queryKeys.animal(String(pet.id)) });
      }
      invalidateAnimals(queries);
      tellChanges(`Deleted ${pet.name}.`, [{ before: pet, after: undefined }]);
      if (isAwaited) onDone();
    },
    onError: showCurrent,
  });
  const form = useForm<Draft>({
    initial: toDraft(pet),
    kept: {
      ...kept,
      found: found && rebase(found, found.before, read.value),
      keep: (draft) => kept.keep(draft && { ...draft, before: phase.is === "conflict" ? phase.before : toDraft(pet) }),
    },
    sending: save,
    refused: fieldErrorsOf(save.error),
    isDirty: (draft) => Object.keys({ ...findComplaints(draft, pet), ...changesOf(pet, draft) }).length > 0,
    findComplaints: (draft) => findComplaints(draft, pet),
  });
  const settle = (taken: WithEtag<Pet>, settled: Draft) => {
    setBase(taken);
    form.reset(settled);
    setPhase({ is: "editing" });
    save.reset();
    remove.reset();
    invalidateAnimals(queries);
  };
  useLayoutEffect(() => {
    if (read.etag === base.etag || phase.is !== "editing" || save.isPending || !form.isValid) return;
    // Without edits, or if the animal has the edited values by now, the current version is taken over silently.
    const rebased = rebase(form.draft, toDraft(pet), read.value);
    if (Object.keys(changesOf(read.value, rebased)).length > 0) return;
    setBase(read);
    form.reset(toDraft(read.value));
  });
  return { form, base, phase, setPhase, save, remove, settle };
}

interface ConflictProps {
  readonly before: Draft;
  readonly now: Pet;
  /** The edits, applied to the current version. */
  readonly mine: Draft;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

/** Compares the current version with the one that saving would make. Without edits, as before a deletion, the user only confirms it. */
function Conflict({ before, now, mine, onTakeTheirs, onKeepMine }: ConflictProps) {
  const categories = useCategoryNames();
  const is = toDraft(now);
  const isDirty = fieldNames.some((field) => is[field] !== mine[field]);
  const fields = fieldNames.filter((field) => is[field] !== before[field] || is[field] !== mine[field]);
  return (
    <div className="notice conflict" role="alert" tabIndex={-1} ref={focusOnMount}>
      <p>
        Somebody else has changed this animal since you opened it.{" "}
        {isDirty ? "Your changes are not saved yet." : "Check it before you go on."}
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
              <td dir="auto">{displayText(field, is[field], categories)}</td>
              {isDirty && <td dir="auto">{displayText(field, mine[field], categories)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <Button onClick={onTakeTheirs}>{isDirty ? "Discard my changes" : "Go on"}</Button>
        {isDirty && <Button onClick={onKeepMine}>Keep my changes</Button>}
      </div>
    </div>
  );
}
