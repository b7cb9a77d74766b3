import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { type PetFilter, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { useNameOf } from "../categories/use-known-categories.ts";
import { changeParameters, go, useAddress } from "../parts/address.ts";
import { narrow, useMedia } from "../parts/appearance.ts";
import { Heading } from "../parts/heading.tsx";
import { Icon } from "../parts/icons.tsx";
import { lazily } from "../parts/lazily.ts";
import { Empty, Failure } from "../parts/notices.tsx";
import { useTell } from "../parts/toast.tsx";
import { useMay, whyNot } from "../session/permission.tsx";
import { BulkBar } from "./bulk.tsx";
import { type AnimalCommand, useAnimalCommands } from "./commands.ts";
import { Counts } from "./counts.tsx";
import { PrintedList } from "./printed-list.tsx";
import { useSelection } from "./selection.ts";
import type { Start } from "./table/animal-pages.ts";
import { AnimalTable } from "./table/animal-table.tsx";
import { complaintAboutList, type GivenList } from "./transfer/given-list.ts";
import { keepLeftImport, useLeftImport } from "./transfer/left-import.ts";
import { useDroppedFile } from "./transfer/use-dropped-file.ts";
import { useExport } from "./transfer/use-export.tsx";
import { usePastedList } from "./transfer/use-pasted-list.ts";
import { useCounts } from "./use-counts.ts";
import { useSampleAnimals } from "./use-sample-animals.ts";
import { useSelectAll } from "./use-select-all.ts";

/** The animals: how many, which, and what can be done with them. The address says what is shown. */
export function Catalogue() {
  const { parameters } = useAddress();
  const mayWrite = useMay("write");
  const status = petStatuses.find((each) => each === parameters["status"]);
  const category = parameters["category"];
  const categoryName = useNameOf(category ?? "");
  const filter = useMemo<PetFilter>(() => ({ status, categoryId: integerIn(category ?? "") }), [status, category]);
  const counts = useCounts(filter.categoryId);
  const counted = counts?.[status ?? "all"];
  const total = counted && !counted.isMore ? counted.number : undefined;
  const { place } = parameters;
  // Where the table is scrolled to is kept in the address, but only a fresh visit, or another filter, starts there.
  const [start, setStart] = useState<{ filter: PetFilter; at: Start }>({ filter, at: { cursor: place } });
  if (start.filter !== filter) setStart({ filter, at: { cursor: place } });
  const startAt = (at: Start) => {
    setStart({ filter, at });
    changeParameters({ place: at === "end" ? undefined : at.cursor }, "replace");
    if (at !== "end") scrollTo({ top: 0 });
  };
  const isNarrowed = status !== undefined || category !== undefined;
  const samples = useSampleAnimals();
  const queries = useQueryClient();
  const isEmpty = total === 0;
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    // Somebody else may have added the first animal, or deleted the last: the counts tell, and the table follows.
    if (wasEmpty.current !== isEmpty) queries.invalidateQueries({ queryKey: names.animals });
    wasEmpty.current = isEmpty;
  }, [isEmpty, queries]);
  const selection = useSelection(mayWrite);
  const { clear } = selection;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected is out of sight with another filter.
  useEffect(() => clear, [filter]);
  const selectAll = useSelectAll(filter, selection);
  const { start: startExport, dialog: exportDialog } = useExport(filter, total);
  /** The list that is to be imported, once it is chosen. */
  const [importing, setImporting] = useState<{ readonly list?: GivenList }>();
  const leftImport = useLeftImport();
  const closeImport = useCallback(() => setImporting(undefined), []);
  const takeFile = useCallback((file: File) => setImporting({ list: { file } }), []);
  const tell = useTell();
  const takePasted = useCallback(
    (list: GivenList) => {
      // Many a paste is a mistake, which is not worth a dialog.
      const complaint = complaintAboutList(list);
      if (complaint) tell({ text: complaint });
      else setImporting({ list });
    },
    [tell],
  );
  const takesLists = useCallback(() => mayWrite && !document.querySelector("dialog[open]"), [mayWrite]);
  const isFileOver = useDroppedFile(takesLists, takeFile);
  usePastedList(takesLists, takePasted);
  const obey = useCallback(
    (command: AnimalCommand) => (command === "export" ? startExport() : setImporting({})),
    [startExport],
  );
  useAnimalCommands(obey);
  return (
    <>
      <Heading title="Animals">
        <button type="button" className="short" disabled={isEmpty} onClick={startExport}>
          <Icon name="download" size={16} />
          <span>Export</span>
        </button>
        <button
          type="button"
          className="short"
          disabled={!mayWrite}
          aria-describedby={mayWrite ? undefined : whyNot}
          onClick={() => setImporting({})}
        >
          <Icon name="upload" size={16} />
          <span>Import</span>
        </button>
        <button
          type="button"
          className="primary"
          disabled={!mayWrite}
          aria-describedby={mayWrite ? undefined : whyNot}
          onClick={add}
        >
          <Icon name="plus" size={16} />
          Add an animal
        </button>
      </Heading>
      <Filters chosen={[status, category].filter((each) => each !== undefined).length}>
        <Counts
          counts={counts}
          status={status}
          onChoose={(chosen) => changeParameters({ status: chosen, place: undefined })}
        />
        <CategoryFilter
          value={category ?? ""}
          onChoose={(chosen) => changeParameters({ category: chosen, place: undefined })}
        />
      </Filters>
      <PrintedList filter={filter} />
      {exportDialog}
      {isFileOver && (
        <div className="dropzone over">
          <Icon name="upload" size={28} />
          Drop a CSV file to import its animals
        </div>
      )}
      {importing && (
        <Suspense fallback={null}>
          <ImportAnimals list={importing.list} onClose={closeImport} />
        </Suspense>
      )}
      {leftImport && !importing && (
        <Suspense fallback={null}>
          <LeftImport started={leftImport} onClose={() => keepLeftImport(undefined)} />
        </Suspense>
      )}
      {samples.isPending && <p role="status">{samples.progress}</p>}
      <Failure error={samples.error} onRetry={() => samples.run()} />
      <AnimalTable
        key={`${status} ${category} ${start.at === "end" ? "end" : start.at.cursor}`}
        filter={filter}
        start={start.at}
        total={total}
        selection={selection}
        bulkBar={selection.chosen.size > 0 && <BulkBar selection={selection} total={counted} onSelectAll={selectAll} />}
        onOpen={open}
        onMove={keepPlace}
        onStart={startAt}
        whenEmpty={
          isNarrowed ? (
            <Empty title="No animal matches" icon="filter">
              <p>There is none with {describe(status, category && (categoryName ?? category))}.</p>
              <button type="button" onClick={() => go({ parameters: {} })}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty title="No animals yet" icon="animals">
              {mayWrite && (
                <>
                  <p>Add the first one, paste or import a list from a spreadsheet, or explore with sample animals.</p>
                  <div className="actions">
                    <button type="button" className="primary" onClick={add}>
                      Add an animal
                    </button>
                    <button type="button" onClick={() => setImporting({})}>
                      Import a CSV file
                    </button>
                    <button type="button" disabled={samples.isPending} onClick={() => samples.run()}>
                      Load sample animals
                    </button>
                  </div>
                </>
              )}
            </Empty>
          )
        }
      />
    </>
  );
}

function add(): void {
  changeParameters({ add: "animal" });
}

function open(id: number): void {
  changeParameters({ animal: String(id) });
}

function keepPlace(cursor: string | undefined): void {
  changeParameters({ place: cursor }, "replace");
}

const ImportAnimals = lazily(async () => (await import("./transfer/import-animals.tsx")).ImportAnimals);
const LeftImport = lazily(async () => (await import("./transfer/import-animals.tsx")).LeftImport);

function describe(status: PetStatus | undefined, category: string | undefined): string {
  return [status && `the status ${status}`, category && `the category ${category}`].filter(Boolean).join(" and ");
}

/** On a telephone they are folded, so that animals come first. */
function Filters({ chosen, children }: { chosen: number; children: ReactNode }) {
  const isNarrow = useMedia(narrow);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="filters">
      {isNarrow && (
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" size={16} />
          Filters
          {chosen > 0 && <span className="count">{chosen}</span>}
        </button>
      )}
      <div className="folded" id={id} hidden={isNarrow && !isOpen}>
        {children}
      </div>
    </div>
  );
}

function CategoryFilter({ value, onChoose }: { value: string; onChoose: (chosen: string | undefined) => void }) {
  // Set while drawing, and not by an effect: whoever leaves the field before that has run would choose again what was there before.
  const [typed, setTyped] = useState({ over: value, text: value });
  if (typed.over !== value) setTyped({ over: value, text: value });
  const { text } = typed;
  const number = integerIn(text);
  const take = (chosen: string) => {
    const taken = chosen.trim() === "" ? undefined : integerIn(chosen);
    if (chosen.trim() !== "" && taken === undefined) return;
    const next = taken === undefined ? undefined : String(taken);
    if (next !== (value || undefined)) onChoose(next);
  };
  return (
    <form
      className="category-filter"
      onSubmit={(event) => {
        event.preventDefault();
        take(text);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) take(text);
      }}
    >
      <CategoryField
        label="Category"
        isLabelUnseen
        placeholder="Any category"
        value={text}
        mayMake={false}
        complaint={text.trim() !== "" && number === undefined ? "No category has this name." : undefined}
        onChange={(changed) => setTyped({ over: value, text: changed })}
        onChoose={take}
      />
      {value !== "" && (
        <button type="button" className="quiet" onClick={() => onChoose(undefined)}>
          All categories
        </button>
      )}
    </form>
  );
}
