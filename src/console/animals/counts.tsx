import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Int64 } from "../../../packages/client/src/index.ts";
import { maxInventoryCount, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { queryKeys, useInventory } from "../api/queries.ts";
import { Button } from "../parts/controls.tsx";
import { formatCount } from "../parts/format-count.ts";
import { StatusShape } from "../parts/status.tsx";
import { useStore } from "../session/session.tsx";

/** A number of animals; `isMore` if there are more than that. */
export interface Count {
  readonly number: number;
  readonly isMore: boolean;
}

export function formatAnimalCount({ number, isMore }: Count): string {
  return `${formatCount(number)}${isMore ? "+" : ""}`;
}

type AnimalCounts = Readonly<Record<PetStatus | "all", Count>>;

export function useCounts(categoryId: Int64 | undefined): AnimalCounts | undefined {
  const store = useStore();
  const { data: inventory } = useInventory();
  const ofCategory = useQuery({
    queryKey: [...queryKeys.inventory, "of", String(categoryId)],
    enabled: categoryId !== undefined,
    queryFn: () => store.inventory.ofCategory(categoryId ?? 0),
  });
  const found = categoryId === undefined ? inventory : ofCategory.data;
  if (!found) return undefined;
  const countOf = (statuses: readonly PetStatus[]): Count => ({
    number: statuses.reduce((sum, status) => sum + found[status], 0),
    isMore: categoryId !== undefined && statuses.some((status) => found[status] >= maxInventoryCount),
  });
  const byStatus = petStatuses.map((status) => [status, countOf([status])]);
  return { ...Object.fromEntries(byStatus), all: countOf(petStatuses) };
}

interface CountsProps {
  readonly counts: AnimalCounts | undefined;
  readonly status: PetStatus | undefined;
  readonly onChoose: (status: PetStatus | undefined) => void;
}

export function Counts({ counts, status, onChoose }: CountsProps) {
  const choice = (each: PetStatus | undefined, content: ReactNode) => {
    const count = counts?.[each ?? "all"];
    return (
      <Button key={each ?? "all"} className="chip" aria-pressed={status === each} onClick={() => onChoose(each)}>
        {content} <span className="count">{count ? formatAnimalCount(count) : "–"}</span>
      </Button>
    );
  };
  return (
    <fieldset className="chips">
      <legend className="unseen">Show</legend>
      {choice(undefined, "all")}
      {petStatuses.map((each) =>
        choice(
          each,
          <>
            <StatusShape status={each} />
            {each}
          </>,
        ),
      )}
    </fieldset>
  );
}
