import { memo, useLayoutEffect, useRef, useState } from "react";
import {
  type AnimalStore,
  type Category,
  type Int64,
  NotFoundError,
  PreconditionFailedError,
} from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useCategories, useHasScope, useTools } from "../api/queries.ts";
import { findComplaint, parseInteger, rules } from "../api/rules.ts";
import { fetchWithEtag } from "../api/store.ts";
import { Button, TextField } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { readDraft, useStoredDraft } from "../parts/drafts.ts";
import { Complaint } from "../parts/errors.ts";
import { focusNextRow, focusOnMount } from "../parts/focus.ts";
import { useForm } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { isComposing } from "../parts/shortcut.ts";
import { Empty, Failure, Heading, QueryStatus } from "../parts/view.tsx";
import { createCategory, nameCategory } from "./create-category.ts";

export function Categories() {
  const categories = useCategories();
  const canWrite = useHasScope("write");
  /** The category that is being renamed. Its row stays in the list even if another user deletes the name. */
  const [edited, setEdited] = useState<Category>();
  const all = categories.data?.all ?? [];
  const rows = edited && !all.some(({ id }) => id === edited.id) ? [...all, edited] : all;
  return (
    <>
      <Heading title="Categories" />
      <p className="hint">Each animal has the number of its category, and is shown with that category's name.</p>
      {canWrite && <NewCategoryForm />}
      <QueryStatus query={categories} what="categories" />
      {categories.data && rows.length === 0 && <Empty title="No category has a name yet" icon="categories" />}
      {rows.length > 0 && (
        <Listing caption="Categories by number" columns={[["Number"], ["Name", "long"]]}>
          {rows.map((category) => (
            <CategoryRow key={String(category.id)} category={category} onEdit={setEdited} />
          ))}
        </Listing>
      )}
    </>
  );
}

function NewCategoryForm() {
  const { store, notify, queries, isMounted } = useTools();
  const save = useAction({
    mutationFn: async ({ id, name }: { id: Int64 | undefined; name: string }) =>
      id === undefined ? await createCategory(store, name) : await nameCategory(store, id, name),
    onSuccess({ category, isNew }): void {
      notify({ text: isNew ? describeRenamed(category) : describeUnchanged(category) });
      if (!isMounted()) form.forget();
      form.reset(emptyDraft);
      queries.invalidateQueries({ queryKey: queryKeys.categories });
    },
  });
  const isAlreadyNamed = save.error instanceof PreconditionFailedError;
  const form = useForm({
    initial: emptyDraft,
    storedDraft: useStoredDraft<typeof emptyDraft>("new category"),
    sending: save,
    serverFieldErrors: isAlreadyNamed ? { number: "This category already has a name. Rename it below." } : {},
    fieldsCheckedOnSubmit: ["number"],
    findComplaints: ({ number, name }) => ({
      number:
        number.trim() !== "" && parseInteger(number) === undefined ? "Enter a whole number, or nothing." : undefined,
      name: findNameComplaint(name),
    }),
  });
  const { number, name } = form.draft;
  return (
    <form
      className="inline"
      onSubmit={form.submit(() => save.run({ id: parseInteger(number), name: name.trim() }))}
      noValidate
    >
      <TextField label="Name" {...form.field("name")} />
      <TextField label="Number" placeholder="Next free" inputMode="numeric" {...form.field("number")} />
      <button type="submit" className="primary" disabled={save.isPending}>
        Add
      </button>
      <Failure error={form.error} />
    </form>
  );
}

const emptyDraft = { number: "", name: "" };

function findNameComplaint(name: string): string | undefined {
  return findComplaint(rules.category["name"], name.trim());
}

const CategoryRow = memo(function CategoryRow(props: { category: Category; onEdit: (edited?: Category) => void }) {
  const { category, onEdit } = props;
  const { id, name } = category;
  const canWrite = useHasScope("write");
  const [isEditing, setEditing] = useState(() => canWrite && readDraft(toDraftName(id)) !== undefined);
  const row = useRef<HTMLTableRowElement>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isEditing) return;
    return () => {
      // Returns the focus from the removed field to the button, unless the focus has moved elsewhere.
      if (document.activeElement === document.body) renameButton.current?.focus();
    };
  }, [isEditing]);
  const edit = (edited?: Category) => {
    setEditing(edited !== undefined);
    onEdit(edited);
  };
  return (
    <tr ref={row}>
      <td className="number">{String(id)}</td>
      <td colSpan={isEditing ? 2 : 1}>
        {isEditing ? <RenameForm category={category} onClose={() => edit()} /> : <bdi>{name}</bdi>}
      </td>
      {!isEditing && (
        <td className="actions">
          {canWrite && (
            <>
              <Button ref={renameButton} aria-label={`Rename category ${id}`} onClick={() => edit(category)}>
                Rename
              </Button>
              <DeleteButton category={category} onDeleted={() => focusNextRow(row.current)} />
            </>
          )}
        </td>
      )}
    </tr>
  );
});

function DeleteButton({ category: { id, name }, onDeleted }: { category: Category; onDeleted: () => void }) {
  const { store, notify, queries } = useTools();
  /** The name in the open confirmation. The deletion fails if another user has changed the name since. */
  const [shownName, setShownName] = useState<string>();
  const remove = useAction({
    mutationFn: async () =>
      await store.categories.delete(id, await requireEtag(store, { id, name: shownName ?? name }, setShownName)),
    onSuccess() {
      setShownName(undefined);
      notify({ text: `Deleted the name of category ${id}.` });
      onDeleted();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.categories }),
  });
  return (
    <>
      <Button
        className="danger quiet"
        aria-label={`Delete the name of category ${id}`}
        onClick={() => setShownName(name)}
      >
        Delete
      </Button>
      {shownName !== undefined && (
        <Confirmation
          title="Delete this name?"
          question={
            <>
              Category {String(id)} will no longer be called <bdi>{shownName}</bdi>. Its animals keep the number.
            </>
          }
          actionTitle="Delete"
          confirmedAction={remove}
          onClose={() => setShownName(undefined)}
        />
      )}
    </>
  );
}

function RenameForm({ category, onClose }: { category: Category; onClose: () => void }) {
  const { store, notify, queries, isMounted } = useTools();
  const close = () => {
    form.forget();
    if (isMounted()) onClose();
  };
  const rename = useAction({
    mutationFn: async (name: string) => {
      const shown = { id: category.id, name: form.draft.seenName };
      const condition = await requireEtag(store, shown, (seenName) => form.set({ seenName }));
      return await store.categories.put(category.id, { name }, condition);
    },
    onSuccess(renamed) {
      close();
      notify({ text: describeRenamed(renamed) });
    },
    onError(error) {
      if (!(error instanceof NotFoundError)) return;
      notify({ text: `Somebody else deleted the name of category ${category.id}, so yours was not saved.` });
      close();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.categories }),
  });
  const form = useForm<RenameDraft>({
    initial: { name: category.name, seenName: category.name },
    storedDraft: useStoredDraft<RenameDraft>(toDraftName(category.id)),
    sending: rename,
    isDirty: ({ name, seenName }) => name !== seenName,
    findComplaints: ({ name }) => ({ name: findNameComplaint(name) }),
  });
  const submit = form.submit(() => {
    const name = form.draft.name.trim();
    if (name !== category.name) return rename.run(name);
    close();
    notify({ text: describeUnchanged(category) });
  });
  return (
    <>
      <form className="inline" noValidate onSubmit={submit}>
        <TextField
          label={`Name of category ${category.id}`}
          isLabelHidden
          ref={form.isRestored ? undefined : focusOnMount}
          {...form.field("name")}
          onKeyDown={(event) => event.key === "Escape" && !isComposing(event) && close()}
        />
        <button type="submit" className="primary" disabled={rename.isPending}>
          Save
        </button>
        <Button onClick={close}>Cancel</Button>
      </form>
      <Failure error={form.error} />
    </>
  );
}

interface RenameDraft {
  readonly name: string;
  /** The name when the user began to type or, after a save has failed, the current name in the error message. */
  readonly seenName: string;
}

function toDraftName(id: Int64): string {
  return `category ${id}`;
}

/** Returns the ETag of a category that still has the name that the user has seen. Otherwise calls `onRenamed` and throws Complaint. */
async function requireEtag(store: AnimalStore, { id, name }: Category, onRenamed: (name: string) => void) {
  const { value, etag } = await fetchWithEtag(store.categories.get(id));
  if (value.name === name) return { ifMatch: etag };
  onRenamed(value.name);
  throw new Complaint(
    `Somebody else has renamed it to ${value.name}. Your change was not saved; check it, and try again.`,
  );
}

function describeRenamed({ id, name }: Category): string {
  return `Category ${id} is now called ${name}.`;
}

function describeUnchanged({ id, name }: Category): string {
  return `Category ${id} is already called ${name}.`;
}
