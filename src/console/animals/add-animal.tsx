import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import type { NewPet } from "../../../packages/client/src/index.ts";
import { petFields, petStatuses } from "../../domain/pet.ts";
import { useAction } from "../api/action.ts";
import { invalidateAnimals, useTools } from "../api/queries.ts";
import { changeParameters } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { useDiscardQuestion, useForm } from "../parts/form.tsx";
import { Icon } from "../parts/icons.tsx";
import { formatShortcut, isComposing } from "../parts/shortcut.ts";
import { Failure, RestoredHint } from "../parts/view.tsx";
import { markAnimal } from "./marks.ts";
import { createDraft, type Draft, fieldNames, findComplaints, toPet, trimDraft } from "./pet-fields.ts";
import { PetInputs } from "./pet-inputs.tsx";

export const newAnimalDraftName = "new animal";

export function AddAnimal({ onClose }: { onClose: () => void }) {
  const { form, add, addedMessage, isContinuing, submit } = useAddForm(onClose);
  const nameField = useRef<HTMLInputElement>(null);
  /** True if Ctrl+Enter has chosen a category. The animal is added after the category has been rendered. */
  const [isSubmitDue, setSubmitDue] = useState(false);
  const addAndContinue = (element: HTMLFormElement) => {
    if (submit(element, true)) nameField.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isSubmitDue) return;
    setSubmitDue(false);
    if (nameField.current?.form) addAndContinue(nameField.current.form);
  });
  const handleKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // The category field calls `preventDefault` if the key has chosen a category.
    if (event.defaultPrevented || isComposing(event)) return;
    event.preventDefault();
    addAndContinue(event.currentTarget);
  };
  const { leave, question } = useDiscardQuestion(form, onClose);
  /** True while the form waits for the response that closes the form: text typed meanwhile would be lost. */
  const readOnly = add.isPending && !isContinuing;
  return (
    <Dialog title="Add an animal" kind="side" onClose={leave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget, false);
        }}
        onKeyDown={handleKey}
        noValidate
      >
        {form.isRestored && !addedMessage && <RestoredHint />}
        {addedMessage && (
          <p className="added" role="status">
            <Icon name="check" size={16} />
            {addedMessage}
          </p>
        )}
        <PetInputs
          field={(name) => ({ ...form.field(name), readOnly })}
          nameRef={nameField}
          categoryHint="Type its name to choose or create it."
          onChooseCategory={(_, shouldSubmit) => setSubmitDue(shouldSubmit)}
          statuses={petStatuses}
        />
        <Failure error={form.error} />
        <footer>
          <Button onClick={leave}>{addedMessage ? "Close" : "Cancel"}</Button>
          <Button
            disabled={add.isPending}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={({ currentTarget }) => currentTarget.form && addAndContinue(currentTarget.form)}
          >
            Add and continue
            <kbd>{formatShortcut("Enter")}</kbd>
          </Button>
          <button type="submit" className="primary" disabled={add.isPending}>
            {add.isPending ? "Adding" : add.isError ? "Try again" : "Add"}
          </button>
        </footer>
      </form>
      {question}
    </Dialog>
  );
}

const emptyDraft = createDraft((field) => (field === "status" ? petFields.status.default : ""));

function useAddForm(onClose: () => void) {
  const { store, notify, queries, isMounted } = useTools();
  const [isContinuing, setContinuing] = useState(false);
  /** Says that the previous animal was added, if the form has stayed open for the next animal. */
  const [addedMessage, setAddedMessage] = useState<string>();
  const add = useAction({
    draft: newAnimalDraftName,
    mutationFn: async (pet: NewPet, options) => await store.pets.create(pet, options),
    onSuccess(pet): void {
      const text = `Added ${pet.name} as animal ${pet.id}.`;
      markAnimal(pet.id, "own");
      invalidateAnimals(queries);
      if (isContinuing && isMounted()) {
        setAddedMessage(text);
        return;
      }
      // Keeps the stored draft if the user has already typed the next name.
      if (!isContinuing || form.draft.name === "") form.forget();
      if (isMounted()) {
        onClose();
        scrollTo({ top: 0 });
      }
      const run = () => changeParameters({ animal: String(pet.id) });
      notify({ text, action: { title: "Open it", run } });
    },
    onError(_, { name }): void {
      form.set({ name });
    },
  });
  const storedDraft = useStoredDraft<Draft>(newAnimalDraftName);
  /** Adds the name that was sent but already cleared from its field, so that a reload does not lose the name. */
  const addSentName = (draft: Draft) =>
    add.isPending && draft.name === "" ? { ...draft, name: add.variables.name } : draft;
  const form = useForm<Draft>({
    initial: emptyDraft,
    storedDraft: { ...storedDraft, keep: (draft) => storedDraft.keep(draft && addSentName(draft)) },
    sending: add,
    // After "Add and continue", every field except the name keeps its value, so only a new name makes the draft dirty.
    isDirty: (draft) =>
      add.isPending || (addedMessage ? draft.name !== "" : fieldNames.some((name) => draft[name] !== emptyDraft[name])),
    findComplaints,
  });
  const submit = (element: HTMLFormElement, shouldContinue: boolean) => {
    if (add.isPending || !form.check(element)) return false;
    setContinuing(shouldContinue);
    add.run(toPet(trimDraft(form.draft)));
    // Clears the name before the response arrives, because users type the next name without waiting.
    if (shouldContinue) form.reset({ ...form.draft, name: "" });
    return true;
  };
  return { form, add, addedMessage, isContinuing, submit };
}
