import { useState } from "react";
import { useAction, useSubmission } from "../api/action.ts";
import { invalidateAnimals, queryKeys, useTools } from "../api/queries.ts";
import { sampleAnimals, sampleCategories } from "./sample-animals.ts";

/** Fills an empty store with animals to look around with. If it is cut short, another try adds only what is missing. */
export function useSampleAnimals() {
  const { store, notify, queries } = useTools();
  const submission = useSubmission();
  const [added, setAdded] = useState(0);
  const load = useAction({
    async mutationFn() {
      for (const [index, title] of sampleCategories.entries()) {
        // A category that has a name already keeps it.
        await store.categories.put(index + 1, { name: title }, { ifNoneMatch: "*" }).catch(() => {});
      }
      for (const [index, pet] of sampleAnimals.entries()) {
        await store.pets.create(pet, submission.of([index, pet]));
        setAdded(index + 1);
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
  return { ...load, progress: `Loading ${added} of ${sampleAnimals.length} sample animals` };
}
