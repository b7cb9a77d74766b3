import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { AnimalStore, Int64, Pet, PetPatch } from "../../../packages/client/src/index.ts";
import { petStatuses } from "../../domain/pet.ts";
import { mayHaveArrived } from "../api/action.ts";
import { invalidateAnimals } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { findCategoryComplaint } from "../categories/category-text.ts";
import { Button, Select } from "../parts/controls.tsx";
import { Confirmation, Dialog } from "../parts/dialog.tsx";
import { Complaint, describeError } from "../parts/errors.ts";
import { FormDialog, useForm } from "../parts/form.tsx";
import { formatCount, pluralize } from "../parts/format-count.ts";
import { useSession, useStore } from "../session/session.tsx";
import { type AnimalCount, formatAnimalCount } from "./counts.tsx";
import { markAnimal } from "./marks.ts";
import { maxSelectedAnimals, type Selection } from "./selection.ts";
import { forEachConcurrently, type PetChange, readAnimal, useNotifyOfChanges } from "./undo.ts";

export function BulkBar({ selection, total }: { selection: Selection; total: AnimalCount | undefined }) {
  const store = useStore();
  const { job, run, stop, close } = useBulkJob(selection);
  /** The open dialog and its animals. The animals stay the same even if the selection changes while the dialog is open. */
  const [dialog, setDialog] = useState<{ readonly about: "category" | "deletion"; pets: readonly Pet[] }>();
  const pets = [...selection.chosen.values()];
  const closeDialog = () => setDialog(undefined);
  /** Changes animals or, if no changes are given, deletes the animals. */
  const start = (changed: readonly Pet[], changes?: PetPatch) => {
    closeDialog();
    const count = pluralize(changed.length, "animal");
    const [doing, done] = changes ? ["Changing", "Changed"] : ["Deleting", "Deleted"];
    run(`${doing} ${count}`, `${done} ${count}.`, changed, (pet) => changeAnimal(store, pet, changes));
  };
  const countText = pluralize(dialog?.pets.length ?? 0, "animal");
  return (
    <div className="bulk" role="toolbar" aria-label="Selected animals">
      <strong>{describeSelection(pets.length, total)}</strong>
      <Button className="quiet" onClick={selection.selectAll}>
        Select all
      </Button>
      <span className="space" />
      <Select
        aria-label="Change the status"
        value=""
        onChange={({ target }) => start(pets, { status: target.value as Pet["status"] })}
      >
        <option value="" disabled>
          Status
        </option>
        {petStatuses.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </Select>
      <Button onClick={() => setDialog({ about: "category", pets })}>Category</Button>
      <Button className="danger short" onClick={() => setDialog({ about: "deletion", pets })} icon="trash">
        <span>Delete</span>
      </Button>
      <Button className="bare" aria-label="Clear the selection" onClick={() => selection.replace([])} icon="close" />
      {dialog?.about === "category" && (
        <CategoryDialog
          count={countText}
          onChosen={(categoryId) => start(dialog.pets, { categoryId })}
          onClose={closeDialog}
        />
      )}
      {dialog?.about === "deletion" && (
        <Confirmation
          title={`Delete ${countText}?`}
          question="You can undo this for a minute; then they are gone for good. Numbers are never reused."
          actionTitle="Delete"
          cancelText="Keep them"
          confirmedAction={{ run: () => start(dialog.pets) }}
          onClose={closeDialog}
        />
      )}
      {job && <Progress job={job} onStop={stop} onClose={close} />}
    </div>
  );
}

/** Returns "5 selected" or, if more animals match than can be selected, "Newest 1,000 of 2,300 selected". */
function describeSelection(count: number, total: AnimalCount | undefined): string {
  const isPart = count === maxSelectedAnimals && total && (total.isMore || total.number > count);
  return isPart
    ? `Newest ${formatCount(count)} of ${formatAnimalCount(total)} selected`
    : `${formatCount(count)} selected`;
}

async function changeAnimal(store: AnimalStore, { id }: Pet, changes: PetPatch | undefined): Promise<PetChange> {
  const current = await readAnimal(store, id);
  if (!current) throw new Complaint("It was deleted by somebody else.");
  const { value: before, etag: ifMatch } = current;
  if (!changes) {
    await store.pets.delete(id, { ifMatch });
    return { before, after: undefined };
  }
  const after = await store.pets.update(id, changes, { ifMatch });
  markAnimal(id, "own");
  return { before, after };
}

function CategoryDialog(props: { count: string; onChosen: (id: Int64 | undefined) => void; onClose: () => void }) {
  const form = useForm({
    initial: { category: "" },
    fieldsCheckedOnSubmit: ["category"],
    isDirty: () => false,
    findComplaints: ({ category }) => ({ category: findCategoryComplaint(category) }),
  });
  return (
    <FormDialog
      title={`The category of ${props.count}`}
      actionTitle="Change"
      kind="side"
      form={form}
      onSubmit={() => props.onChosen(parseInteger(form.draft.category))}
      onClose={props.onClose}
    >
      <CategoryField label="Category" {...form.field("category")} />
    </FormDialog>
  );
}

interface BulkJob {
  readonly title: string;
  readonly total: number;
  readonly done: number;
  readonly failures: readonly { readonly pet: Pet; readonly reason: string }[];
  readonly isOver: boolean;
}

function useBulkJob(selection: Selection) {
  const queries = useQueryClient();
  const { storeSession } = useSession();
  const notifyOfChanges = useNotifyOfChanges();
  const [job, setJob] = useState<BulkJob>();
  const isStopped = useRef(false);
  const run = async (title: string, success: string, pets: readonly Pet[], step: (pet: Pet) => Promise<PetChange>) => {
    isStopped.current = false;
    const changes: PetChange[] = [];
    const failures: { pet: Pet; reason: string }[] = [];
    let unknownCount = 0;
    const isInterrupted = () => storeSession?.hasEnded() === true;
    const shouldContinue = () => !isStopped.current && !isInterrupted();
    const show = (isOver: boolean) =>
      setJob({ title, total: pets.length, done: changes.length + failures.length, failures: [...failures], isOver });
    show(false);
    const attempt = async (pet: Pet) => {
      try {
        changes.push(await step(pet));
      } catch (error) {
        failures.push({ pet, reason: describeError(error) });
        if (mayHaveArrived(error)) unknownCount++;
      }
      show(false);
    };
    await forEachConcurrently(pets, attempt, shouldContinue);
    await invalidateAnimals(queries);
    if (failures.length === 0 && shouldContinue()) setJob(undefined);
    else show(true);
    selection.replace(failures.map(({ pet }) => pet));
    if (changes.length === pets.length) notifyOfChanges(success, changes);
    else if (changes.length > 0 || isInterrupted()) {
      notifyOfChanges(describePartialResult(changes.length, unknownCount, pets.length, isInterrupted()), changes);
    }
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { job, run, stop, close: () => setJob(undefined) };
}

function describePartialResult(done: number, unknownCount: number, total: number, isInterrupted: boolean): string {
  const uncertain = unknownCount > 0 ? `, and perhaps with ${formatCount(unknownCount)} more` : "";
  const part = `with ${formatCount(done)} of ${pluralize(total, "animal")}${uncertain}.`;
  return isInterrupted ? `It was interrupted when you were signed out: done ${part}` : `Done ${part}`;
}

function Progress({ job, onStop, onClose }: { job: BulkJob; onStop: () => void; onClose: () => void }) {
  const { title, total, done, failures, isOver } = job;
  return (
    <Dialog title={title} {...(isOver && { onClose })}>
      <progress aria-label={title} value={done} max={total} />
      <p role="status">
        {formatCount(done)} of {formatCount(total)}
        {failures.length > 0 && `, ${formatCount(failures.length)} failed`}
      </p>
      {failures.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, so the keyboard must reach it.
        <ul className="failures" tabIndex={0} aria-label="What failed">
          {failures.map(({ pet, reason }) => (
            <li key={pet.id}>
              <strong>
                <bdi>{pet.name}</bdi> <small>{pet.id}</small>
              </strong>
              {reason}
            </li>
          ))}
        </ul>
      )}
      <footer>
        {isOver ? (
          <Button className="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <Button onClick={onStop}>Stop</Button>
        )}
      </footer>
    </Dialog>
  );
}
