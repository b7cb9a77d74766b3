import { type ReactNode, Suspense, useEffect, useId, useState } from "react";
import type { Pet } from "../../../packages/client/src/index.ts";
import { type PetFilter, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { useCategoryNames, useHasScope, useTools } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { maxPageSize } from "../api/store.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { useCategoryName } from "../categories/category-name.tsx";
import { changeParameters, navigate, useAddress } from "../parts/address.tsx";
import { narrowScreenQuery, useMedia } from "../parts/appearance.ts";
import { Button } from "../parts/controls.tsx";
import { describeError } from "../parts/errors.ts";
import { formatCount } from "../parts/format-count.ts";
import { Icon } from "../parts/icons.tsx";
import { lazyComponent } from "../parts/lazy.ts";
import { usePrinter } from "../parts/printing.ts";
import { useShared } from "../parts/shared.ts";
import { useNotify } from "../parts/toast.tsx";
import { Empty, Heading } from "../parts/view.tsx";
import { useWindowEvents } from "../parts/window-events.ts";
import { readOnlyHintId } from "../session/permission.tsx";
import { useAnimalCommands } from "./commands.ts";
import { StatusChips, useCounts } from "./counts.tsx";
import { AddAnimalButton, NoAnimals, SampleProgress, useSampleAnimals } from "./no-animals.tsx";
import { fieldNames, fieldTexts, formatFieldText } from "./pet-fields.ts";
import { AnimalTable } from "./table/animal-table.tsx";
import { currentImport } from "./transfer/import-run.ts";
import { type ImportSource, useImportSource } from "./transfer/import-source.ts";
import { useExport } from "./transfer/use-export.tsx";

export function Catalogue() {
  const { status, category, filter } = useFilter();
  const canWrite = useHasScope("write");
  const counts = useCounts(filter.categoryId);
  const count = counts?.[status ?? "all"];
  const total = count && !count.isMore ? count.number : undefined;
  const { start: startExport, dialog: exportDialog } = useExport(filter, total);
  const { choose, isFileDragged, dialog: importDialog } = useImport(canWrite);
  useAnimalCommands((command) => (command === "export" ? startExport() : choose()));
  const samples = useSampleAnimals();
  const [restartCount, setRestartCount] = useState(0);
  const restartTable = () => {
    changeParameters({ place: undefined }, "replace");
    setRestartCount(restartCount + 1);
    scrollTo({ top: 0 });
  };
  return (
    <>
      <Heading title="Animals">
        <Button className="short" disabled={total === 0} onClick={startExport} icon="download">
          <span>Export</span>
        </Button>
        <Button
          className="short"
          disabled={!canWrite}
          aria-describedby={canWrite ? undefined : readOnlyHintId}
          onClick={choose}
          icon="upload"
        >
          <span>Import</span>
        </Button>
        <AddAnimalButton />
      </Heading>
      <Filters chosenCount={[status, category].filter((each) => each !== undefined).length}>
        <StatusChips counts={counts} status={status} />
        <CategoryFilter value={category ?? ""} />
      </Filters>
      <PrintedList filter={filter} />
      {exportDialog}
      {isFileDragged && (
        <div className="dropzone over">
          <Icon name="upload" size={28} />
          Drop a CSV file to import its animals
        </div>
      )}
      {importDialog}
      <SampleProgress samples={samples} />
      <AnimalTable key={`${status} ${category} ${restartCount}`} filter={filter} count={count} onRestart={restartTable}>
        {status !== undefined || category !== undefined ? (
          <NoMatch status={status} category={category} />
        ) : (
          <NoAnimals samples={samples} onImport={choose} />
        )}
      </AnimalTable>
    </>
  );
}

function useFilter() {
  const { parameters } = useAddress();
  const { category } = parameters;
  const status = petStatuses.find((each) => each === parameters["status"]);
  const filter: PetFilter = { status, categoryId: parseInteger(category ?? "") };
  return { status, category, filter };
}

function useImport(canWrite: boolean) {
  const notify = useNotify();
  const [importing, setImporting] = useState<{ readonly source?: ImportSource }>();
  const runningImport = useShared(currentImport);
  const isFileDragged = useImportSource(
    () => canWrite && !document.querySelector("dialog[open]"),
    (source) => (source.complaint ? notify({ text: source.complaint }) : setImporting({ source })),
  );
  const dialog = (importing || runningImport) && (
    <Suspense fallback={null}>
      <ImportAnimals source={importing?.source} onClose={() => setImporting(undefined)} />
    </Suspense>
  );
  return { choose: () => setImporting({}), isFileDragged, dialog };
}

function NoMatch({ status, category = "" }: { status: PetStatus | undefined; category: string | undefined }) {
  const name = useCategoryName(category) ?? category;
  const filters = [status && `the status ${status}`, name && `the category ${name}`].filter(Boolean).join(" and ");
  return (
    <Empty title="No animal matches" icon="filter">
      <p>There are none with {filters}.</p>
      <Button onClick={() => navigate({ parameters: {} })}>Show all</Button>
    </Empty>
  );
}

const ImportAnimals = lazyComponent(async () => (await import("./transfer/import-animals.tsx")).ImportAnimals);

function Filters({ chosenCount, children }: { chosenCount: number; children: ReactNode }) {
  const isNarrow = useMedia(narrowScreenQuery);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="filters">
      {isNarrow && (
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)} icon="filter">
          Filters
          {chosenCount > 0 && <span className="count">{chosenCount}</span>}
        </Button>
      )}
      <div className="folded" id={id} hidden={isNarrow && !isOpen}>
        {children}
      </div>
    </div>
  );
}

function CategoryFilter({ value }: { value: string }) {
  // Resets the text during rendering. Before an effect could do so, a blur of the field could apply the old category again.
  const [typed, setTyped] = useState({ applied: value, text: value });
  if (typed.applied !== value) setTyped({ applied: value, text: value });
  const { text } = typed;
  const isValid = (chosen: string) => chosen.trim() === "" || parseInteger(chosen) !== undefined;
  const choose = (category: string | undefined) => changeParameters({ category, place: undefined });
  const apply = (chosen: string) => {
    const next = parseInteger(chosen)?.toString() ?? "";
    if (isValid(chosen) && next !== value) choose(next);
  };
  return (
    <form
      className="category-filter"
      onSubmit={(event) => {
        event.preventDefault();
        apply(text);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) apply(text);
      }}
    >
      <CategoryField
        label="Category"
        isLabelHidden
        placeholder="Any category"
        value={text}
        canCreate={false}
        complaint={isValid(text) ? undefined : "No category has this name."}
        onChange={(changed) => setTyped({ applied: value, text: changed })}
        onChoose={apply}
      />
      {value !== "" && (
        <Button className="quiet" onClick={() => choose(undefined)}>
          All categories
        </Button>
      )}
    </form>
  );
}

function PrintedList({ filter }: { filter: PetFilter }) {
  const { store, notify } = useTools();
  const categories = useCategoryNames();
  const [pets, setPets] = useState<readonly Pet[]>();
  usePrinter(async () => {
    const all: Pet[] = [];
    notify({ text: "Getting the list ready to print." });
    try {
      for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: maxPageSize })) {
        if (all.push(pet) > maxPrintedAnimals) break;
      }
      setPets(all);
    } catch (error) {
      notify({ text: describeError(error) });
    }
  });
  useEffect(() => {
    if (pets) print();
  }, [pets]);
  useWindowEvents({ afterprint: () => setPets(undefined) });
  if (!pets) return null;
  return (
    <table className="printed">
      {pets.length > maxPrintedAnimals && (
        <caption>The newest {formatCount(maxPrintedAnimals)} animals. There are more: export them instead.</caption>
      )}
      <thead>
        <tr>
          <th>Number</th>
          {fieldNames.map((field) => (
            <th key={field}>{fieldTexts[field].label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {pets.slice(0, maxPrintedAnimals).map((pet) => (
          <tr key={pet.id}>
            <td>{pet.id}</td>
            {fieldNames.map((field) => (
              <td key={field} dir="auto">
                {formatFieldText(field, String(pet[field] ?? ""), categories)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const maxPrintedAnimals = 20_000;
