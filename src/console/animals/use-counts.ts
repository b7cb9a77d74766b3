import { useQuery } from "@tanstack/react-query";
import type { Int64 } from "../../client/index.ts";
import { mostCounted, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { names, useInventory } from "../api/queries.ts";
import { grouped } from "../parts/counted.ts";
import { useStore } from "../session/session.tsx";

/** How many there are, or that there are more than that. */
export interface Count {
  readonly number: number;
  readonly isMore: boolean;
}

export function countText({ number, isMore }: Count): string {
  return `${grouped(number)}${isMore ? "+" : ""}`;
}

export type AnimalCounts = Readonly<Record<PetStatus | "all", Count>>;

/** How many animals there are of each status, in all or in a category. */
export function useCounts(categoryId: Int64 | undefined): AnimalCounts | undefined {
  const store = useStore();
  const { data: inventory } = useInventory();
  const ofCategory = useQuery({
    queryKey: [...names.inventory, "of", String(categoryId)],
    enabled: categoryId !== undefined,
    queryFn: () => store.inventory.ofCategory(categoryId ?? 0),
  });
  const found = categoryId === undefined ? inventory : ofCategory.data;
  if (!found) return undefined;
  const counts = petStatuses.map((status) => ({
    number: found[status],
    isMore: categoryId !== undefined && found[status] >= mostCounted,
  }));
  const all = {
    number: counts.reduce((sum, { number }) => sum + number, 0),
    isMore: counts.some(({ isMore }) => isMore),
  };
  const byStatus = Object.fromEntries(petStatuses.map((status, index) => [status, counts[index]]));
  return { ...byStatus, all } as AnimalCounts;
}
