import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import type { NewPet } from "../../client/index.ts";
import { defaultPetStatus, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { complaintAbout, integerIn, rules } from "../api/rules.ts";
import { useSubmission } from "../api/submission.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { complaintAboutCategory } from "../categories/category-text.ts";
import { changeParameters } from "../parts/address.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Field, TextField } from "../parts/field.tsx";
import { focusComplaint } from "../parts/focus.ts";
import { Icon } from "../parts/icons.tsx";
import { Failure, Restored } from "../parts/notices.tsx";
import { Select } from "../parts/select.tsx";
import { isComposing, withCommandKey } from "../parts/shortcut.ts";
import { useIsThere } from "../parts/there.ts";
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
  const submission = useSubmission(newAnimal);
  const tell = useTell();
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<NewAnimalDraft>(newAnimal);
  const [name, setName] = useState(found?.name ?? "");
  const [category, setCategory] = useState(found?.category ?? "");
  const [status, setStatus] = useState<PetStatus>(found?.status ?? defaultPetStatus);
  const [touched, setTouched] = useState<Readonly<Record<string, boolean>>>({});
  const [isLeaving, setLeaving] = useState(false);
  /** What was added before, while the form is still open, and the category that it left for the next. */
  const [added, setAdded] = useState<{ readonly text: string; readonly category: string }>();
  const nameField = useRef<HTMLInputElement>(null);
  /** Whether Ctrl+Enter has chosen the category, so that the animal is added as soon as that is drawn. */
  const [isFinished, setFinished] = useState(false);
  const add = useAction({
    mutationFn: async ({ pet }: Addition) => await store.pets.create(pet, submission.of(pet)),
    onSuccess(pet, { goesOn }) {
      const text = `Added ${pet.name} as animal ${pet.id}.`;
      markAnimal(pet.id, "own");
      animalsChanged(queries);
      if (goesOn && isThere()) return setAdded({ text, category });
      // Who goes on may have typed the next name already.
      if (!goesOn || name === "") forget();
      if (isThere()) {
        onClose();
        scrollTo({ top: 0 });
      }
      tell({
        text,
        action: { title: "Open it", run: () => changeParameters({ animal: String(pet.id) }) },
      });
    },
    onError: (_, { pet }) => setName(pet.name),
    onSettled: (_, error, { pet }) => submission.settle(pet, error),
  });
  const theirs = fieldsOf(add.error);
  const complaints = {
    name: complaintAbout(rules.pet["name"], name.trim()),
    categoryId: complaintAboutCategory(category),
  };
  const shown = (field: "name" | "categoryId") => (touched[field] ? complaints[field] : undefined) ?? theirs[field];
  const submit = (form: HTMLFormElement, goesOn: boolean) => {
    if (add.isPending) return;
    setTouched({ name: true, categoryId: true });
    if (complaints.name || complaints.categoryId) return focusComplaint(form);
    add.run({ pet: { name: name.trim(), categoryId: integerIn(category) ?? 0, status }, goesOn });
    if (!goesOn) return;
    // At once, because whoever goes on types the next name without waiting.
    setName("");
    setTouched({});
    nameField.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isFinished) return;
    setFinished(false);
    if (nameField.current?.form) submit(nameField.current.form, true);
  });
  const isTyped = name !== "" || category !== (added?.category ?? "") || add.isPending;
  const unsent = add.isPending && name === "" ? add.variables.pet.name : name;
  useLayoutEffect(() => keep(isTyped ? { name: unsent, category, status } : undefined));
  /** What is typed while the last one is added would be neither added nor kept. */
  const isFixed = add.isPending && !add.variables.goesOn;
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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget, false);
        }}
        onKeyDown={(event) => {
          // If it chooses a category, the animal is added after that.
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          if (event.defaultPrevented || isComposing(event)) return;
          event.preventDefault();
          submit(event.currentTarget, true);
        }}
        noValidate
      >
        {found && !added && <Restored />}
        {added && (
          <p className="added" role="status">
            <Icon name="check" size={16} />
            {added.text}
          </p>
        )}
        <TextField
          label="Name"
          complaint={shown("name")}
          ref={nameField}
          value={name}
          readOnly={isFixed}
          onChange={change("name", setName)}
        />
        <CategoryField
          label="Category"
          hint="Type its name to choose or create it."
          value={category}
          complaint={shown("categoryId")}
          readOnly={isFixed}
          onChange={change("categoryId", setCategory)}
          onChoose={(_, finishes) => setFinished(finishes)}
        />
        <StatusField value={status} options={petStatuses} isFixed={isFixed} onChange={setStatus} />
        <Failure error={Object.keys(theirs).length > 0 ? undefined : add.error} />
        <footer>
          <button type="button" onClick={leave}>
            {added ? "Close" : "Cancel"}
          </button>
          <button
            type="button"
            disabled={add.isPending}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={({ currentTarget: { form } }) => form && submit(form, true)}
          >
            Add and go on
            <kbd>{withCommandKey("Enter")}</kbd>
          </button>
          <button type="submit" className="primary" disabled={add.isPending}>
            {add.isPending ? "Adding" : add.isError ? "Try again" : "Add"}
          </button>
        </footer>
      </form>
      {isLeaving && <DiscardQuestion onDiscard={discard} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}

interface Addition {
  readonly pet: NewPet;
  /** Whether the form is to stay open for the next one. */
  readonly goesOn: boolean;
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
