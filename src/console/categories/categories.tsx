import { memo, useLayoutEffect, useRef, useState } from "react";
import {
  type AnimalStore,
  type Category,
  type Int64,
  NotFoundError,
  PreconditionFailedError,
} from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { Complaint } from "../api/errors.ts";
import { queryKeys, useCategories, useHasScope, useTools } from "../api/queries.ts";
import { findComplaint, parseInteger, rules } from "../api/rules.ts";
import { withEtag } from "../api/store.ts";
import { Button, TextField } from "../parts/controls.tsx";
import { useDrawnCount } from "../parts/deferred.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { readDraft, useStoredDraft } from "../parts/drafts.ts";
import { focusNextRow, focusOnMount } from "../parts/focus.ts";
import { useForm } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { isComposing } from "../parts/shortcut.ts";
import { Empty, Failure, Heading, QueryStatus } from "../parts/view.tsx";
import { createCategory, nameCategory } from "./create-category.ts";

export function Categories() {
  const categories = useCategories();
  const canWrite = useHasScope("write");
  /** The category that is being renamed: its row stays even if another user deletes the name. */
  const [edited, setEdited] = useState<Category>();
  const all = categories.data?.all ?? [];
  const rows = edited && !all.some(({ id }) => id === edited.id) ? [...all, edited] : all;
  const drawn = useDrawnCount(rows.length);
  return (
    <>
      <Heading title="Categories" />
      <p className="hint">An animal carries the number of its category, and is shown with the category's name.</p>
      {canWrite && <NameCategory />}
      <QueryStatus query={categories} what="categories" />
      {categories.data && rows.length === 0 && <Empty title="No category has a name yet" icon="categories" />}
      {rows.length > 0 && (
        <Listing caption="Categories by number" columns={[["Number"], ["Name", "long"]]}>
          {rows.slice(0, drawn).map((category) => (
            <CategoryRow key={String(category.id)} category={category} onEdit={setEdited} />
          ))}
        </Listing>
      )}
    </>
  );
}

function NameCategory() {
  const { store, notify, queries, isMounted } = useTools();
  const save = useAction({
    mutationFn: async ({ id, name }: { id: Int64 | undefined; name: string }) =>
      id === undefined ? await createCategory(store, name) : await nameCategory(store, id, name),
    onSuccess({ category, isNew }): void {
      notify({ text: isNew ? nowCalled(category) : alreadyCalled(category) });
      if (!isMounted()) form.forget();
      form.reset(unnamed);
      queries.invalidateQueries({ queryKey: queryKeys.categories });
    },
  });
  const isTaken = save.error instanceof PreconditionFailedError;
  const form = useForm({
    initial: unnamed,
    kept: useStoredDraft<typeof unnamed>("new category"),
    sending: save,
    refused: isTaken ? { number: "This category already has a name. Rename it below." } : {},
    lateFields: ["number"],
    findComplaints: ({ number, name }) => ({
      number:
        number.trim() !== "" && parseInteger(number) === undefined ? "Enter a whole number, or nothing." : undefined,
      name: complaintAboutName(name),
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

const unnamed = { number: "", name: "" };

function complaintAboutName(name: string): string | undefined {
  return findComplaint(rules.category["name"], name.trim());
}

interface CategoryRowProps {
  readonly category: Category;
  readonly onEdit: (category: Category | undefined) => void;
}

const CategoryRow = memo(function CategoryRow({ category, onEdit }: CategoryRowProps) {
  const { store, notify, queries } = useTools();
  const canWrite = useHasScope("write");
  const [isEditing, setEditing] = useState(() => canWrite && readDraft(draftName(category.id)) !== undefined);
  const [isDeleting, setDeleting] = useState(false);
  /** The name when the user began: another user may change it before the deletion. */
  const [seen, setSeen] = useState(category.name);
  const readAgain = () => queries.invalidateQueries({ queryKey: queryKeys.categories });
  const remove = useAction({
    mutationFn: async () =>
      await store.categories.delete(category.id, await currentTag(store, category.id, seen, setSeen)),
    onSuccess() {
      setDeleting(false);
      notify({ text: `Deleted the name of category ${category.id}.` });
      readAgain();
      focusNextRow(row.current);
    },
    onError: readAgain,
  });
  const row = useRef<HTMLTableRowElement>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isEditing) return;
    return () => {
      // The focused field is gone. A focus that has moved elsewhere stays there.
      if (document.activeElement === document.body) renameButton.current?.focus();
    };
  }, [isEditing]);
  return (
    <tr ref={row}>
      <td className="number">{String(category.id)}</td>
      <td colSpan={isEditing ? 2 : 1}>
        {isEditing ? (
          <RenameCategory
            category={category}
            onClose={() => {
              setEditing(false);
              onEdit(undefined);
            }}
          />
        ) : (
          <bdi>{category.name}</bdi>
        )}
      </td>
      {!isEditing && (
        <td className="actions">
          {canWrite && (
            <>
              <Button
                ref={renameButton}
                aria-label={`Rename category ${category.id}`}
                onClick={() => {
                  setEditing(true);
                  onEdit(category);
                }}
              >
                Rename
              </Button>
              <Button
                className="danger quiet"
                aria-label={`Delete the name of category ${category.id}`}
                onClick={() => {
                  setSeen(category.name);
                  setDeleting(true);
                }}
              >
                Delete
              </Button>
            </>
          )}
          {isDeleting && (
            <Confirmation
              title="Delete this name?"
              question={
                <>
                  Category {String(category.id)} will no longer be called <bdi>{seen}</bdi>. Its animals keep the
                  number.
                </>
              }
              action="Delete"
              confirmed={remove}
              onClose={() => setDeleting(false)}
            />
          )}
        </td>
      )}
    </tr>
  );
});

function RenameCategory({ category, onClose }: { category: Category; onClose: () => void }) {
  const { store, notify, queries, isMounted } = useTools();
  const close = () => {
    form.forget();
    if (isMounted()) onClose();
  };
  const readAgain = () => queries.invalidateQueries({ queryKey: queryKeys.categories });
  const rename = useAction({
    mutationFn: async (name: string) => {
      const tag = await currentTag(store, category.id, form.draft.seen, (seen) => form.set({ seen }));
      return await store.categories.put(category.id, { name }, tag);
    },
    onSuccess(renamed) {
      close();
      notify({ text: nowCalled(renamed) });
      readAgain();
    },
    onError(error) {
      if (error instanceof NotFoundError) {
        notify({ text: `Somebody else deleted the name of category ${category.id}, so yours was not saved.` });
        close();
      }
      readAgain();
    },
  });
  const form = useForm<Renaming>({
    initial: { name: category.name, seen: category.name },
    kept: useStoredDraft<Renaming>(draftName(category.id)),
    sending: rename,
    isDirty: ({ name, seen }) => name !== seen,
    findComplaints: ({ name }) => ({ name: complaintAboutName(name) }),
  });
  const submit = form.submit(() => {
    const name = form.draft.name.trim();
    if (name !== category.name) return rename.run(name);
    close();
    notify({ text: alreadyCalled(category) });
  });
  return (
    <>
      <form className="inline" noValidate onSubmit={submit}>
        <TextField
          label={`Name of category ${category.id}`}
          isLabelUnseen
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

interface Renaming {
  readonly name: string;
  /** The name when the user began, or as a failed save has shown it: another user may have changed it since. */
  readonly seen: string;
}

function draftName(id: Int64): string {
  return `category ${id}`;
}

/** Returns the ETag of a category that still has the name that the user has seen. Otherwise calls `onRenamed` and throws Complaint. */
async function currentTag(
  store: AnimalStore,
  id: Int64,
  seen: string,
  onRenamed: (name: string) => void,
): Promise<{ ifMatch: string | undefined }> {
  const { value, etag } = await withEtag(store.categories.get(id));
  if (value.name === seen) return { ifMatch: etag };
  onRenamed(value.name);
  throw new Complaint(
    `Somebody else has renamed it to ${value.name}. Your change was not saved; check, and try again.`,
  );
}

function nowCalled({ id, name }: Category): string {
  return `Category ${id} is now called ${name}.`;
}

function alreadyCalled({ id, name }: Category): string {
  return `Category ${id} is already called ${name}.`;
}
