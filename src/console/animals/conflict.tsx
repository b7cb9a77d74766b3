import type { Pet } from "../../../packages/client/src/index.ts";
import { useCategoryNames } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { focusFirst } from "../parts/focus.ts";
import { type Draft, draftOf, fieldNames, fieldTexts, shownText } from "./pet-fields.ts";

/** Compares the current version with the one that saving would make. Without edits, as before a deletion, the user only confirms it. */
export function Conflict({
  before,
  now,
  mine,
  onTakeTheirs,
  onKeepMine,
}: {
  before: Draft;
  now: Pet;
  /** The edits, applied to the current version. */
  mine: Draft;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const categories = useCategoryNames();
  const is = draftOf(now);
  const isTyped = fieldNames.some((field) => is[field] !== mine[field]);
  const fields = fieldNames.filter((field) => is[field] !== before[field] || is[field] !== mine[field]);
  return (
    <div className="notice conflict" role="alert" tabIndex={-1} ref={focusFirst}>
      <p>
        Somebody else has changed this animal since you opened it.{" "}
        {isTyped ? "Your changes are not saved yet." : "Check it before you go on."}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Now</th>
            {isTyped && <th scope="col">With your changes</th>}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <th scope="row">{fieldTexts[field].label}</th>
              <td dir="auto">{shownText(field, is[field], categories)}</td>
              {isTyped && <td dir="auto">{shownText(field, mine[field], categories)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <Button onClick={onTakeTheirs}>{isTyped ? "Discard my changes" : "Go on"}</Button>
        {isTyped && <Button onClick={onKeepMine}>Keep my changes</Button>}
      </div>
    </div>
  );
}
