import { type PetStatus, petStatuses } from "../../domain/pet.ts";
import type { Inventory } from "../api/api.ts";
import { StatusShape } from "../parts/status.tsx";

/** How many animals there are of each status, as a picture whose parts narrow the table. */
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
    <section className="counts" aria-label="Animals by status">
      <div className="picture" aria-hidden="true">
        {petStatuses.map((each) => (
          <span key={each} className={each} style={{ flexGrow: inventory?.[each] ?? 0 }} />
        ))}
      </div>
      <fieldset>
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
    </section>
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
    <button type="button" className="choice" aria-pressed={isChosen} onClick={onChoose}>
      {children} <strong>{count?.toLocaleString() ?? "–"}</strong>
    </button>
  );
}
