import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NewPet } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { animalsChanged, names } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";

/** Fills an empty store with animals to look around with. If it is cut short, another try adds only what is missing. */
export function useSampleAnimals() {
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const submission = useSubmission();
  const [added, setAdded] = useState(0);
  const load = useAction({
    async mutationFn() {
      for (const [index, title] of categories.entries()) {
        // A category that has a name already keeps it.
        await store.categories.put(index + 1, { name: title }, { ifNoneMatch: "*" }).catch(() => {});
      }
      for (const [index, pet] of samples.entries()) {
        await store.pets.create(pet, submission.of([index, pet]));
        setAdded(index + 1);
      }
    },
    onSuccess() {
      submission.settle(samples, null);
      tell({ text: `Added ${samples.length} sample animals.` });
    },
    async onSettled() {
      await Promise.all([queries.invalidateQueries({ queryKey: names.categories }), animalsChanged(queries)]);
    },
  });
  return { ...load, progress: `Loading ${added} of ${samples.length} sample animals` };
}

const categories = ["Dogs", "Cats", "Birds", "Rodents", "Reptiles"];

const samples: readonly NewPet[] = [
  ["Rex", 1, "available"],
  ["Mia", 2, "available"],
  ["Kiwi", 3, "sold"],
  ["Nibbles", 4, "available"],
  ["Ziggy", 5, "pending"],
  ["Bella", 1, "available"],
  ["Luna", 2, "pending"],
  ["Sunny", 3, "available"],
  ["Peanut", 4, "sold"],
  ["Iggy", 5, "available"],
  ["Max", 1, "sold"],
  ["Félix", 2, "available"],
  ["小鸟", 3, "available"],
  ["Hazel", 4, "available"],
  ["شمس", 5, "available"],
  ["Charlie", 1, "available"],
  ["Cleo", 2, "sold"],
  ["Rio", 3, "available"],
  ["Biscuit", 4, "pending"],
  ["Spike", 5, "available"],
].map(([name, categoryId, status]) => ({ name, categoryId, status }) as NewPet);
