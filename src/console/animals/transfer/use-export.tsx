import { useEffect, useRef, useState } from "react";
import type { AnimalStore, Pet } from "../../../../packages/client/src/index.ts";
import { formatCsvRecord } from "../../../base/csv.ts";
import { namesOf } from "../../../domain/fields.ts";
import { type PetFilter, petFields } from "../../../domain/pet.ts";
import { useTools } from "../../api/queries.ts";
import { maxPageSize } from "../../api/store.ts";
import { readAllCategories } from "../../categories/create-category.ts";
import { Button } from "../../parts/controls.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { describeError } from "../../parts/errors.ts";
import { formatCount, pluralize } from "../../parts/format-count.ts";
import { download } from "./reject-list.tsx";

/** Returns a function that downloads the animals of a filter, and a dialog that shows the progress of a long export. */
export function useExport(filter: PetFilter, total: number | undefined) {
  const { store, notify } = useTools();
  const running = useRef<AbortController>(undefined);
  const [readCount, setReadCount] = useState<number>();
  const start = async () => {
    if (running.current) return;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    try {
      const { parts, count } = await readCsv(store, filter, signal, setReadCount);
      download(formatFileName(filter), parts);
      notify({ text: `Exported ${pluralize(count, "animal")}.` });
    } catch (error) {
      if (!signal.aborted) notify({ text: describeError(error), action: { title: "Try again", run: start } });
    } finally {
      running.current = undefined;
      setReadCount(undefined);
    }
  };
  const cancel = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const dialog = readCount !== undefined && (
    <Dialog title="Exporting animals" onClose={cancel}>
      <progress aria-label="Exporting animals" value={total && Math.min(readCount, total)} max={total} />
      <p role="status">
        {formatCount(readCount)} {total !== undefined && `of ${formatCount(total)}`} read
      </p>
      <footer>
        <Button onClick={cancel}>Cancel</Button>
      </footer>
    </Dialog>
  );
  return { start, dialog };
}

/** Returns the parts of a CSV file. Sorts by id, so that new animals do not shift pages. Excel needs the byte order mark. */
async function readCsv(store: AnimalStore, filter: PetFilter, signal: AbortSignal, onRead: (count: number) => void) {
  const categoryNames = new Map((await readAllCategories(store, signal)).map(({ id, name }) => [String(id), name]));
  const formatRow = (pet: Pet) =>
    formatCsvRecord(
      columns.map((column) => (column === "category" ? categoryNames.get(String(pet.categoryId)) : pet[column])),
    );
  const parts = [`\ufeff${formatCsvRecord(columns)}`];
  let count = 0;
  const pages = store.pets.list({ ...filter, sort: "id", limit: maxPageSize }, { signal }).pages();
  for await (const { items, next } of pages) {
    parts.push(items.map(formatRow).join(""));
    count += items.length;
    // Opens no dialog for a single page, because the page arrives before the user could read the dialog.
    if (next !== undefined || count > maxPageSize) onRead(count);
  }
  return { parts, count };
}

const columns = namesOf(petFields).flatMap((field) =>
  field === "categoryId" ? [field, "category" as const] : [field],
);

function formatFileName({ status, categoryId }: PetFilter): string {
  return `${["animals", status, categoryId !== undefined && `category-${categoryId}`].filter(Boolean).join("-")}.csv`;
}
