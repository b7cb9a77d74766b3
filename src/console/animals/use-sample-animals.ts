import { useState } from "react";
import { useAction, useSubmission } from "../api/action.ts";
import { invalidateAnimals, queryKeys, useTools } from "../api/queries.ts";
import { sampleAnimals, sampleCategories } from "./sample-animals.ts";

/** Fills an empty store with sample animals. A retry after a failure adds only the missing ones. */
export function useSampleAnimals() {
  const { store, notify, queries } = useTools();
  const submission = useSubmission();
  const [addedCount, setAddedCount] = useState(0);
  const load = useAction({
    async mutationFn() {
      for (const [index, name] of sampleCategories.entries()) {
        // A category that already has a name keeps it.
        await store.categories.put(index + 1, { name }, { ifNoneMatch: "*" }).catch(() => {});
      }
      for (const [index, pet] of sampleAnimals.entries()) {
        await store.pets.create(pet, submission.optionsFor([index, pet]));
        setAddedCount(index + 1);
      }
    },
    onSuccess() {
      submission.settle(sampleAnimals, null);
      notify({ text: `Added ${sampleAnimals.length} sample animals.` });
    },
    async onSettled() {
      await Promise.all([queries.invalidateQueries({ queryKey: queryKeys.categories }), invalidateAnimals(queries)]);
    },
  });
  return { ...load, progress: `Loading ${addedCount} of ${sampleAnimals.length} sample animals` };
}
