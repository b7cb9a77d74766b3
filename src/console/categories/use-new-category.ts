import { useQueryClient } from "@tanstack/react-query";
import type { Category } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { names, useAdvice } from "../api/queries.ts";
import { useStore } from "../session/session.tsx";
import { makeCategory } from "./make-category.ts";

/** Makes a category where one is asked for. */
export function useNewCategory(onMade: (category: Category, wanted: Wanted) => void) {
  const store = useStore();
  const queries = useQueryClient();
  const make = useAction({
    mutationFn: ({ name }: Wanted) => makeCategory(store, name.trim()),
    async onSuccess({ category }, wanted) {
      await queries.invalidateQueries({ queryKey: names.categories });
      onMade(category, wanted);
    },
  });
  const advice = useAdvice(make.error);
  return { ...make, complaint: make.error ? advice : undefined };
}

interface Wanted {
  readonly name: string;
  /** Whether the form is finished once it is there. */
  readonly finishes: boolean;
}
