import { useCallback, useEffect, useState } from "react";
import type { Pet } from "../../../packages/client/src/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { adviceFor } from "../api/errors.ts";
import { useCategoryNames } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { grouped } from "../parts/counted.ts";
import { usePrinter } from "../parts/printing.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { fieldNames, fieldTexts, shownText } from "./pet-fields.ts";

/** On paper there is the whole list, unless it is very long, and not only the rows that are on the screen. */
export function PrintedList({ filter }: { filter: PetFilter }) {
  const store = useStore();
  const tell = useTell();
  const categories = useCategoryNames();
  const [pets, setPets] = useState<readonly Pet[]>();
  const load = useCallback(async () => {
    const all: Pet[] = [];
    tell({ text: "Getting the list ready to print." });
    try {
      for await (const pet of store.pets.list({ ...filter, sort: "-id", limit: longestPage })) {
        if (all.push(pet) > most) break;
      }
      setPets(all);
    } catch (error) {
      tell({ text: adviceFor(error) });
    }
  }, [store, filter, tell]);
  usePrinter(load);
  useEffect(() => {
    if (!pets) return;
    const finish = () => setPets(undefined);
    addEventListener("afterprint", finish);
    print();
    return () => removeEventListener("afterprint", finish);
  }, [pets]);
  if (!pets) return null;
  return (
    <table className="printed">
      {pets.length > most && (
        <caption>The newest {grouped(most)} animals. There are more: export them instead.</caption>
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
        {pets.slice(0, most).map((pet) => (
          <tr key={pet.id}>
            <td>{pet.id}</td>
            {fieldNames.map((field) => (
              <td key={field} dir="auto">
                {shownText(field, String(pet[field] ?? ""), categories)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Some hundred sheets. */
const most = 20_000;
