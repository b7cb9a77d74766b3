import type { Inventory } from "../../client/index.ts";
import { type PetStatus, petStatuses } from "../../domain/pet.ts";
import { StatusShape } from "../parts/status.tsx";

/** How many animals there are of each status, to narrow the table by. */
export function Counts({
  inventory,
  status,
  onChoose,
}: {
  inventory: Inventory | undefined;
  status: PetStatus | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}) {
  const total = inventory && petStatuses.reduce((sum, each) => sum + inventory[each], 0);
  return (
    <fieldset className="chips">
      <legend className="unseen">Show</legend>
      <Choice isChosen={status === undefined} count={total} onChoose={() => onChoose(undefined)}>
        all
      </Choice>
      {petStatuses.map((each) => (
        <Choice key={each} isChosen={status === each} count={inventory?.[each]} onChoose={() => onChoose(each)}>
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
  count: number | undefined;
  onChoose: () => void;
  children: React.ReactNode;
}) {
  return (
    <button type="button" className="chip" aria-pressed={isChosen} onClick={onChoose}>
      {children} <span className="count">{count?.toLocaleString() ?? "–"}</span>
    </button>
  );
}
