import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import type { NewPet } from "../../client/index.ts";
import { petFields, petStatuses } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { changeParameters } from "../parts/address.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { focusComplaint } from "../parts/focus.ts";
import { Icon } from "../parts/icons.tsx";
import { Failure, Restored } from "../parts/notices.tsx";
import { isComposing, withCommandKey } from "../parts/shortcut.ts";
import { useIsThere } from "../parts/there.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { markAnimal } from "./marks.ts";
import { complaintsAbout, type Draft, draftWith, fieldNames, petIn, trimmed } from "./pet-fields.ts";
import { PetInputs } from "./pet-inputs.tsx";

/** What the draft of an animal that is to be added is kept by. */
export const newAnimal = "new animal";

export function AddAnimal({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const queries = useQueryClient();
  const submission = useSubmission(newAnimal);
  const tell = useTell();
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<Draft>(newAnimal);
  const [draft, setDraft] = useState(() => ({ ...emptyDraft, ...found }));
  const [touched, setTouched] = useState<Readonly<Record<string, boolean>>>({});
  const [isLeaving, setLeaving] = useState(false);
  /** The confirmation of the previous animal while the form is still open, and the values that it left for the next. */
  const [added, setAdded] = useState<{ readonly text: string; readonly left: Draft }>();
  const nameField = useRef<HTMLInputElement>(null);
  /** Whether Ctrl+Enter has chosen the category, so that the animal is added as soon as that is drawn. */
  const [isFinished, setFinished] = useState(false);
  const add = useAction({
    mutationFn: async ({ pet }: Addition) => await store.pets.create(pet, submission.of(pet)),
    onSuccess(pet, { goesOn }) {
      const text = `Added ${pet.name} as animal ${pet.id}.`;
      markAnimal(pet.id, "own");
      animalsChanged(queries);
      if (goesOn && isThere()) return setAdded({ text, left: { ...draft, name: "" } });
      // The user may already have typed the next name.
      if (!goesOn || draft.name === "") forget();
      if (isThere()) {
        onClose();
        scrollTo({ top: 0 });
      }
      tell({
        text,
        action: { title: "Open it", run: () => changeParameters({ animal: String(pet.id) }) },
      });
    },
    onError: (_, { pet }) => setDraft((now) => ({ ...now, name: pet.name })),
    onSettled: (_, error, { pet }) => submission.settle(pet, error),
  });
  const theirs = fieldsOf(add.error);
  const complaints = complaintsAbout(draft);
  const shown = Object.fromEntries(
    fieldNames.map((field) => [field, (touched[field] ? complaints[field] : undefined) ?? theirs[field]]),
  );
  const submit = (form: HTMLFormElement, goesOn: boolean) => {
    if (add.isPending) return;
    setTouched(Object.fromEntries(fieldNames.map((field) => [field, true])));
    if (Object.keys(complaints).length > 0) return focusComplaint(form);
    add.run({ pet: petIn(trimmed(draft)), goesOn });
    if (!goesOn) return;
    // At once, because users type the next name without waiting.
    setDraft({ ...draft, name: "" });
    setTouched({});
    nameField.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isFinished) return;
    setFinished(false);
    if (nameField.current?.form) submit(nameField.current.form, true);
  });
  const left = added?.left ?? emptyDraft;
  const isTyped = add.isPending || fieldNames.some((field) => field !== "status" && draft[field] !== left[field]);
  const unsent = add.isPending && draft.name === "" ? add.variables.pet.name : draft.name;
  useLayoutEffect(() => keep(isTyped ? { ...draft, name: unsent } : undefined));
  /** What is typed while the last one is added would be neither added nor kept. */
  const isFixed = add.isPending && !add.variables.goesOn;
  const leave = () => (isTyped ? setLeaving(true) : onClose());
  const discard = () => {
    forget();
    onClose();
  };
  const change = (field: keyof Draft, text: string) => {
    setDraft((now) => ({ ...now, [field]: text }));
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
        <PetInputs
          draft={draft}
          complaints={shown}
          isFixed={isFixed}
          onChange={change}
          nameRef={nameField}
          categoryHint="Type its name to choose or create it."
          onChooseCategory={(_, finishes) => setFinished(finishes)}
          statuses={petStatuses}
        />
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

const emptyDraft = draftWith((field) => (field === "status" ? petFields.status.default : ""));

interface Addition {
  readonly pet: NewPet;
  /** Whether the form is to stay open for the next one. */
  readonly goesOn: boolean;
}
