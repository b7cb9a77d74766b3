import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, memo, useLayoutEffect, useRef, useState } from "react";
import {
  type AnimalStore,
  type Category,
  type Int64,
  NotFoundError,
  PreconditionFailedError,
} from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { Complaint } from "../api/errors.ts";
import { names, useCategories } from "../api/queries.ts";
import { complaintAbout, integerIn, rules } from "../api/rules.ts";
import { tagged } from "../api/store.ts";
import { Button } from "../parts/button.tsx";
import { ActionConfirmation } from "../parts/dialog.tsx";
import { draftOf, useDraft } from "../parts/drafts.ts";
import { TextField } from "../parts/field.tsx";
import { focusComplaint, focusFirst, focusRowAfter } from "../parts/focus.ts";
import { useGradually } from "../parts/gradually.ts";
import { Heading } from "../parts/heading.tsx";
import { Listing } from "../parts/listing.tsx";
import { Empty, Failure, Loading } from "../parts/notices.tsx";
import { isComposing } from "../parts/shortcut.ts";
import { useIsThere } from "../parts/there.ts";
import { useTell } from "../parts/toast.tsx";
import { Unread } from "../parts/unread.tsx";
import { useMay } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { makeCategory, nameCategory } from "./make-category.ts";

/** The names of the numbers that animals are sorted by. */
export function Categories() {
  const categories = useCategories();
  const mayWrite = useMay("write");
  /** The one that somebody is renaming: it stays, also when its name was deleted meanwhile. */
  const [edited, setEdited] = useState<Category>();
  const all = categories.data?.all ?? [];
  const rows = edited && !all.some(({ id }) => id === edited.id) ? [...all, edited] : all;
  const drawn = useGradually(rows.length);
  return (
    <>
      <Heading title="Categories" />
      <p className="hint">An animal carries the number of its category, and is shown with the category's name.</p>
      {mayWrite && <NameCategory />}
      {categories.isPending && <Loading what="categories" />}
      <Unread error={categories.error} isStale={categories.data !== undefined} onRetry={() => categories.refetch()} />
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
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<{ number: string; name: string }>("new category");
  const [number, setNumber] = useState(found?.number ?? "");
  const [name, setName] = useState(found?.name ?? "");
  useLayoutEffect(() => keep(number === "" && name === "" ? undefined : { number, name }));
  const [isTouched, setTouched] = useState(false);
  const complaints = {
    number: number.trim() !== "" && integerIn(number) === undefined ? "Enter a whole number, or nothing." : undefined,
    name: complaintAbout(rules.category["name"], name.trim()),
  };
  const save = useAction({
    mutationFn: async ({ id, name: wanted }: { id: Int64 | undefined; name: string }) =>
      id === undefined ? await makeCategory(store, wanted) : await nameCategory(store, id, wanted),
    onSuccess({ category, isNew }) {
      tell({ text: isNew ? nowCalled(category) : alreadyCalled(category) });
      if (!isThere()) forget();
      setNumber("");
      setName("");
      setTouched(false);
      queries.invalidateQueries({ queryKey: names.categories });
    },
  });
  const isTaken = save.error instanceof PreconditionFailedError;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched(true);
    if (complaints.number || complaints.name) focusComplaint(event.currentTarget);
    else save.run({ id: integerIn(number), name: name.trim() });
  };
  return (
    <form className="inline" onSubmit={submit} noValidate>
      <TextField
        label="Name"
        complaint={isTouched || name !== "" ? complaints.name : undefined}
        value={name}
        readOnly={save.isPending}
        onChange={setName}
      />
      <TextField
        label="Number"
        placeholder="Next free"
        complaint={
          isTaken ? "This category already has a name. Rename it below." : isTouched ? complaints.number : undefined
        }
        inputMode="numeric"
        value={number}
        readOnly={save.isPending}
        onChange={(text) => {
          setNumber(text);
          save.reset();
        }}
      />
      <button type="submit" className="primary" disabled={save.isPending}>
        Add
      </button>
      {!isTaken && <Failure error={save.error} />}
    </form>
  );
}

const CategoryRow = memo(function CategoryRow({
  category,
  onEdit,
}: {
  category: Category;
  onEdit: (category: Category | undefined) => void;
}) {
  const store = useStore();
  const tell = useTell();
  const mayWrite = useMay("write");
  const queries = useQueryClient();
  const [isEditing, setEditing] = useState(() => mayWrite && draftOf(draftName(category.id)) !== undefined);
  const [isDeleting, setDeleting] = useState(false);
  /** What it was called when the person began: it may be called otherwise before the person has finished. */
  const [seen, setSeen] = useState(category.name);
  const readAgain = () => queries.invalidateQueries({ queryKey: names.categories });
  const remove = useAction({
    mutationFn: async () =>
      await store.categories.delete(category.id, await currentTag(store, category.id, seen, setSeen)),
    onSuccess() {
      setDeleting(false);
      tell({ text: `Deleted the name of category ${category.id}.` });
      readAgain();
      focusRowAfter(row.current);
    },
    onError: readAgain,
  });
  const row = useRef<HTMLTableRowElement>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isEditing) return;
    return () => {
      // The field that had the focus is gone; whoever has gone elsewhere meanwhile stays there.
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
          {mayWrite && (
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
            <ActionConfirmation
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
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<{ name: string; seen: string }>(draftName(category.id));
  const [name, setName] = useState(found?.name ?? category.name);
  /** What it was called when the person began: it may be called otherwise before the person has finished. */
  const [seen, setSeen] = useState(found?.seen ?? category.name);
  useLayoutEffect(() => keep(name === seen ? undefined : { name, seen }));
  const close = () => {
    forget();
    if (isThere()) onClose();
  };
  const readAgain = () => queries.invalidateQueries({ queryKey: names.categories });
  const rename = useAction({
    mutationFn: async (wanted: string) =>
      await store.categories.put(category.id, { name: wanted }, await currentTag(store, category.id, seen, setSeen)),
    onSuccess(renamed) {
      close();
      tell({ text: nowCalled(renamed) });
      readAgain();
    },
    onError(error) {
      if (error instanceof NotFoundError) {
        tell({ text: `Somebody else deleted the name of category ${category.id}, so yours was not saved.` });
        close();
      }
      readAgain();
    },
  });
  const complaint = complaintAbout(rules.category["name"], name.trim());
  return (
    <>
      <form
        className="inline"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (complaint) return;
          if (name.trim() !== category.name) return rename.run(name.trim());
          close();
          tell({ text: alreadyCalled(category) });
        }}
      >
        <TextField
          label={`Name of category ${category.id}`}
          isLabelUnseen
          complaint={complaint}
          ref={found ? undefined : focusFirst}
          value={name}
          readOnly={rename.isPending}
          onChange={setName}
          onKeyDown={(event) => event.key === "Escape" && !isComposing(event) && close()}
        />
        <button type="submit" className="primary" disabled={rename.isPending}>
          Save
        </button>
        <Button onClick={close}>Cancel</Button>
      </form>
      <Failure error={rename.error} />
    </>
  );
}

/** What the new name of a category is kept by. */
function draftName(id: Int64): string {
  return `category ${id}`;
}

/** The tag of a category, if it is still called what somebody has seen. Throws Complaint, after telling what it is called now. */
async function currentTag(
  store: AnimalStore,
  id: Int64,
  seen: string,
  onRenamed: (name: string) => void,
): Promise<{ ifMatch: string | undefined }> {
  const { value, etag } = await tagged(store.categories.get(id));
  if (value.name === seen) return { ifMatch: etag };
  onRenamed(value.name);
  throw new Complaint(changedTo(value.name));
}

function nowCalled({ id, name }: Category): string {
  return `Category ${id} is now called ${name}.`;
}

function alreadyCalled({ id, name }: Category): string {
  return `Category ${id} is already called ${name}.`;
}

function changedTo(name: string): string {
  return `Somebody else has renamed it to ${name}. Your change was not saved; check, and try again.`;
}
