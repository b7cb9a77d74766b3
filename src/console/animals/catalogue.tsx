import { useQueryClient } from "@tanstack/react-query";
import { type FocusEvent, type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type PetFilter, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { names, useInventory } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { CategoryField } from "../categories/category-field.tsx";
import type { Address, Go } from "../parts/address.ts";
import { TextField } from "../parts/field.tsx";
import { News } from "../parts/news.tsx";
import { Empty, Failure } from "../parts/notices.tsx";
import { useMay, whyNot } from "../session/permission.tsx";
import { useApi } from "../session/session.tsx";
import { AddAnimal } from "./add-animal.tsx";
import { AnimalDialog } from "./animal.tsx";
import { AnimalTable } from "./animal-table.tsx";
import { Counts } from "./counts.tsx";
import { useSampleAnimals } from "./use-sample-animals.ts";

/** The animals: how many, which, and what can be done with them. The address says what is shown. */
export function Catalogue({ address: { parameters }, go }: { address: Address; go: Go }) {
  const api = useApi();
  const inventory = useInventory(api);
  const mayWrite = useMay("write");
  const [isAdding, setAdding] = useState(false);
  const [news, setNews] = useState<{ text: string; animal?: number }>();
  const forget = useCallback(() => setNews(undefined), []);
  const tell = useCallback((text: string) => setNews({ text }), []);
  const status = petStatuses.find((each) => each === parameters["status"]);
  const category = parameters["category"];
  const filter = useMemo<PetFilter>(() => ({ status, categoryId: integerIn(category ?? "") }), [status, category]);
  const total = category === undefined && inventory.data ? sumOf(inventory.data, status) : undefined;
  const { animal, place } = parameters;
  const change = useCallback(
    (changes: Address["parameters"], how?: "push" | "replace") => go({ parameters: { ...current(), ...changes } }, how),
    [go],
  );
  const open = useCallback((id: number) => change({ animal: String(id) }), [change]);
  const keepPlace = useCallback((cursor: string | undefined) => change({ place: cursor }, "replace"), [change]);
  // Where the table is scrolled to is kept in the address, but only a fresh visit, or another filter, starts there.
  const [start, setStart] = useState({ filter, cursor: place });
  if (start.filter !== filter) setStart({ filter, cursor: place });
  const startAt = (cursor: string | undefined) => {
    setStart({ filter, cursor });
    change({ place: cursor }, "replace");
  };
  const isNarrowed = status !== undefined || category !== undefined;
  const samples = useSampleAnimals(tell);
  const queries = useQueryClient();
  const isEmpty = total === 0;
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    // Somebody else may have added the first animal, or deleted the last: the counts tell, and the table follows.
    if (wasEmpty.current !== isEmpty) queries.invalidateQueries({ queryKey: names.animals });
    wasEmpty.current = isEmpty;
  }, [isEmpty, queries]);
  return (
    <>
      <div className="tools">
        <Counts
          inventory={inventory.data}
          status={status}
          onChoose={(chosen) => change({ status: chosen, place: undefined })}
        />
        <div className="toolbar">
          <CategoryFilter
            value={category ?? ""}
            onChoose={(chosen) => change({ category: chosen, place: undefined })}
          />
          <Find onFind={(id) => change({ animal: id })} />
          <button
            type="button"
            className="primary"
            disabled={!mayWrite}
            aria-describedby={mayWrite ? undefined : whyNot}
            onClick={() => setAdding(true)}
          >
            Add an animal
          </button>
        </div>
      </div>
      {samples.isPending && <p role="status">{samples.progress}</p>}
      <Failure error={samples.error} onRetry={() => samples.run()} />
      <AnimalTable
        key={`${status} ${category} ${start.cursor}`}
        api={api}
        filter={filter}
        start={start.cursor}
        total={total}
        onOpen={open}
        onMove={keepPlace}
        onContinue={startAt}
        whenEmpty={
          isNarrowed ? (
            <Empty title="No animal matches">
              <p>There is none with {describe(status, category)}.</p>
              <button type="button" onClick={() => go({ parameters: {} })}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty title="No animals yet">
              {mayWrite && (
                <>
                  <p>Add the first one, or explore with sample animals.</p>
                  <div className="actions">
                    <button type="button" className="primary" onClick={() => setAdding(true)}>
                      Add an animal
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
      <News of={news} onOver={forget}>
        {news && (
          <>
            <span>{news.text}</span>
            {news.animal !== undefined && (
              <button type="button" onClick={() => open(news.animal ?? 0)}>
                Open it
              </button>
            )}
          </>
        )}
      </News>
      {isAdding && (
        <AddAnimal
          onAdded={(pet) => {
            setAdding(false);
            setNews({ text: `Added ${pet.name} as animal ${pet.id}.`, animal: pet.id });
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {animal !== undefined && (
        <AnimalDialog key={animal} id={animal} onNews={tell} onClose={() => change({ animal: undefined })} />
      )}
    </>
  );
}

/** The parameters as they are now, since several of them may change between two drawings of the page. */
function current(): Address["parameters"] {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function sumOf(inventory: Record<PetStatus, number>, status: PetStatus | undefined): number {
  return status ? inventory[status] : petStatuses.reduce((sum, each) => sum + inventory[each], 0);
}

function describe(status: PetStatus | undefined, category: string | undefined): string {
  return [status && `the status ${status}`, category && `the category ${category}`].filter(Boolean).join(" and ");
}

function CategoryFilter({ value, onChoose }: { value: string; onChoose: (chosen: string | undefined) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const isWrong = text.trim() !== "" && integerIn(text) === undefined;
  const choose = () => {
    const chosen = text.trim() === "" ? undefined : String(integerIn(text));
    if (!isWrong && chosen !== (value || undefined)) onChoose(chosen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose();
  };
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) choose();
  };
  return (
    <form className="inline" onSubmit={submit} onBlur={leave}>
      <CategoryField
        label="Category"
        value={text}
        complaint={isWrong ? "Enter a number." : undefined}
        onChange={setText}
      />
      {value !== "" && (
        <button type="button" className="quiet" onClick={() => onChoose(undefined)}>
          All categories
        </button>
      )}
    </form>
  );
}

function Find({ onFind }: { onFind: (id: string) => void }) {
  const [text, setText] = useState("");
  const isWrong = text.trim() !== "" && integerIn(text) === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong || text.trim() === "") return;
    onFind(String(integerIn(text)));
    setText("");
  };
  return (
    <form className="inline" onSubmit={submit}>
      <TextField
        label="Find by number"
        complaint={isWrong ? "Enter a number." : undefined}
        inputMode="numeric"
        enterKeyHint="search"
        value={text}
        onChange={setText}
      />
    </form>
  );
}
