import type { NewPet } from "../../../packages/client/src/index.ts";

/** Category n is the n-th, from 1 on. */
export const sampleCategories = ["Dogs", "Cats", "Birds", "Rodents", "Reptiles"];

const sold = ["Kiwi", "Peanut", "Max", "Cleo"];
const pending = ["Ziggy", "Luna", "Biscuit"];

/** In the order of their categories, again and again. */
const animalNames =
  "Rex Mia Kiwi Nibbles Ziggy Bella Luna Sunny Peanut Iggy Max Félix 小鸟 Hazel شمس Charlie Cleo Rio Biscuit Spike".split(
    " ",
  );

export const sampleAnimals: readonly NewPet[] = animalNames.map((name, index) => ({
  name,
  categoryId: 1 + (index % sampleCategories.length),
  status: sold.includes(name) ? "sold" : pending.includes(name) ? "pending" : "available",
}));
