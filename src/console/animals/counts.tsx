import { type PetStatus, petStatuses } from "../../domain/pet.ts";
import { StatusShape } from "../parts/status.tsx";
import { type AnimalCounts, type Count, countText } from "./use-counts.ts";

/** How many animals there are of each status, to narrow the table by. */
export function Counts({
  counts,
  status,
  onChoose,
}: {
  counts: AnimalCounts | undefined;
  status: PetStatus | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}) {
  return (
    <fieldset className="chips">
      <legend className="unseen">Show</legend>
      <Choice isChosen={status === undefined} count={counts?.all} onChoose={() => onChoose(undefined)}>
        all
      </Choice>
      {petStatuses.map((each) => (
        <Choice key={each} isChosen={status === each} count={counts?.[each]} onChoose={() => onChoose(each)}>
          <StatusShape status={each} />
          {each}
        </Choice>
      ))}
    </fieldset>
  );
}

function Choice({
  isChosen,
  count,
  onChoose,
  children,
}: {
  isChosen: boolean;
  count: Count | undefined;
  onChoose: () => void;
  children: React.ReactNode;
}) {
  return (
    <button type="button" className="chip" aria-pressed={isChosen} onClick={onChoose}>
      {children} <span className="count">{count ? countText(count) : "–"}</span>
    </button>
  );
}
