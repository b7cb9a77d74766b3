import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { NewPet } from "../../client/index.ts";
import { defaultPetStatus, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { complaintAbout, integerIn, rules } from "../api/rules.ts";
import { useSubmission } from "../api/submission.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { complaintAboutCategory } from "../categories/category-text.ts";
import { currentParameters, useAddress } from "../parts/address.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Field, TextField } from "../parts/field.tsx";
import { focusComplaint } from "../parts/focus.ts";
import { Failure, Restored } from "../parts/notices.tsx";
import { Select } from "../parts/select.tsx";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { markAnimal } from "./marks.ts";

/** What the draft of an animal that is to be added is kept by. */
export const newAnimal = "new animal";

export interface NewAnimalDraft {
  readonly name: string;
  readonly category: string;
  readonly status: PetStatus;
}

export function AddAnimal({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const queries = useQueryClient();
  const submission = useSubmission();
  const tell = useTell();
  const [, go] = useAddress();
  const { found, keep, forget } = useDraft<NewAnimalDraft>(newAnimal);
  const [name, setName] = useState(found?.name ?? "");
  const [category, setCategory] = useState(found?.category ?? "");
  const [status, setStatus] = useState<PetStatus>(found?.status ?? defaultPetStatus);
  const [touched, setTouched] = useState<Readonly<Record<string, boolean>>>({});
  const [isLeaving, setLeaving] = useState(false);
  const add = useAction({
    mutationFn: async (pet: NewPet) => await store.pets.create(pet, submission.of(pet)),
    onSuccess(pet) {
      forget();
      markAnimal(pet.id, "own");
      animalsChanged(queries);
      onClose();
      scrollTo({ top: 0 });
      tell({
        text: `Added ${pet.name} as animal ${pet.id}.`,
        action: { title: "Open it", run: () => go({ parameters: { ...currentParameters(), animal: String(pet.id) } }) },
      });
    },
    onSettled: (_, error, pet) => submission.settle(pet, error),
  });
  const theirs = fieldsOf(add.error);
  const complaints = {
    name: complaintAbout(rules.pet["name"], name.trim()),
    categoryId: complaintAboutCategory(category),
  };
  const shown = (field: "name" | "categoryId") => (touched[field] ? complaints[field] : undefined) ?? theirs[field];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched({ name: true, categoryId: true });
    if (complaints.name || complaints.categoryId) focusComplaint(event.currentTarget);
    else add.run({ name: name.trim(), categoryId: integerIn(category) ?? 0, status });
  };
  const isTyped = name !== "" || category !== "";
  useEffect(() => keep(isTyped ? { name, category, status } : undefined));
  const leave = () => (isTyped ? setLeaving(true) : onClose());
  const discard = () => {
    forget();
    onClose();
  };
  const change = (field: string, set: (value: string) => void) => (value: string) => {
    set(value);
    setTouched((before) => ({ ...before, [field]: true }));
    if (add.isError) add.reset();
  };
  return (
    <Dialog title="Add an animal" kind="side" onClose={leave}>
      <form onSubmit={submit} noValidate>
        {found && <Restored />}
        <TextField label="Name" complaint={shown("name")} value={name} onChange={change("name", setName)} />
        <CategoryField
          label="Category"
          hint="Type its name to choose it or to make it."
          value={category}
          complaint={shown("categoryId")}
          onChange={change("categoryId", setCategory)}
        />
        <StatusField value={status} options={petStatuses} onChange={setStatus} />
        <Failure error={Object.keys(theirs).length > 0 ? undefined : add.error} />
        <footer>
          <button type="button" onClick={leave}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={add.isPending}>
            {add.isPending ? "Adding" : add.isError ? "Add again" : "Add"}
          </button>
        </footer>
      </form>
      {isLeaving && <DiscardQuestion onDiscard={discard} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}

/** One of the statuses that are offered. */
export function StatusField({
  value,
  options,
  hint,
  complaint,
  isFixed = false,
  onChange,
}: {
  value: PetStatus;
  options: readonly PetStatus[];
  hint?: string;
  complaint?: string | undefined;
  isFixed?: boolean;
  onChange: (status: PetStatus) => void;
}) {
  return (
    <Field label="Status" hint={hint ?? ""} complaint={complaint}>
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          disabled={isFixed}
          onChange={(event) => onChange(event.target.value as PetStatus)}
        >
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
