import { useQuery } from "@tanstack/react-query";
import type { Int64 } from "../../../packages/client/src/index.ts";
import { maxInventoryCount, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { queryKeys, useInventory } from "../api/queries.ts";
import { changeParameters } from "../parts/address.tsx";
import { Chip } from "../parts/controls.tsx";
import { formatCount } from "../parts/format-count.ts";
import { StatusShape } from "../parts/status.tsx";
import { useStore } from "../session/session.tsx";

/** A number of animals. If `isMore` is true, the store has at least `number` animals, and has not counted further. */
export interface AnimalCount {
  readonly number: number;
  readonly isMore: boolean;
}

export function formatAnimalCount({ number, isMore }: AnimalCount): string {
  return `${formatCount(number)}${isMore ? "+" : ""}`;
}

type AnimalCounts = Readonly<Record<PetStatus | "all", AnimalCount>>;

export function useCounts(categoryId: Int64 | undefined): AnimalCounts | undefined {
  const store = useStore();
  const { data: inventory } = useInventory();
  const categoryInventory = useQuery({
    queryKey: [...queryKeys.inventory, "of", String(categoryId)],
    enabled: categoryId !== undefined,
    queryFn: () => store.inventory.ofCategory(categoryId ?? 0),
  });
  const shownInventory = categoryId === undefined ? inventory : categoryInventory.data;
  if (!shownInventory) return undefined;
  const sumCounts = (statuses: readonly PetStatus[]): AnimalCount => ({
    number: statuses.reduce((sum, status) => sum + shownInventory[status], 0),
    isMore: categoryId !== undefined && statuses.some((status) => shownInventory[status] >= maxInventoryCount),
  });
  const byStatus = petStatuses.map((status) => [status, sumCounts([status])]);
  return { ...Object.fromEntries(byStatus), all: sumCounts(petStatuses) };
}

export function StatusChips({ counts, status }: { counts: AnimalCounts | undefined; status: PetStatus | undefined }) {
  const choose = (chosen: PetStatus | undefined) => changeParameters({ status: chosen, place: undefined });
  return (
    <fieldset className="chips">
      <legend className="unseen">Show</legend>
      {[undefined, ...petStatuses].map((each) => {
        const count = counts?.[each ?? "all"];
        return (
          <Chip key={each ?? "all"} isChosen={status === each} onClick={() => choose(each)}>
            {each && <StatusShape status={each} />}
            {each ?? "all"} <span className="count">{count ? formatAnimalCount(count) : "–"}</span>
          </Chip>
        );
      })}
    </fieldset>
  );
}
