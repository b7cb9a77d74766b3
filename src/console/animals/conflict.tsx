import type { Pet } from "../../client/index.ts";
import { useCategoryNames } from "../api/queries.ts";
import { type Draft, draftFields, draftOf } from "./animal-draft.ts";

const titles: Readonly<Record<keyof Draft, string>> = { name: "Name", categoryId: "Category", status: "Status" };

/** Somebody else was faster: shows the current state beside what saving would make of it, and overwrites nothing unasked. */
export function Conflict({
  before,
  now,
  mine,
  onSettle,
}: {
  before: Pet;
  now: Pet;
  /** What was typed, on top of the current state. */
  mine: Draft;
  onSettle: (whose: "theirs" | "mine") => void;
}) {
  const categories = useCategoryNames();
  const shown = (field: keyof Draft, value: string) =>
    field === "categoryId" ? (categories.get(value) ?? value) : value;
  const [was, is] = [draftOf(before), draftOf(now)];
  const fields = draftFields.filter((field) => is[field] !== was[field] || is[field] !== mine[field]);
  return (
    <div className="notice conflict" role="alert">
      <p>Somebody else has changed this animal since you opened it. Your changes are not saved yet.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Now</th>
            <th scope="col">With your changes</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <th scope="row">{titles[field]}</th>
              <td dir="auto">{shown(field, is[field])}</td>
              <td dir="auto">{shown(field, mine[field])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <button type="button" onClick={() => onSettle("theirs")}>
          Discard my changes
        </button>
        <button type="button" onClick={() => onSettle("mine")}>
          Keep my changes
        </button>
      </div>
    </div>
  );
}
