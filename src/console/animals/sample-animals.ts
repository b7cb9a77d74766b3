import type { NewPet } from "../../../packages/client/src/index.ts";

/** The names of categories 1 to 5. */
export const sampleCategories = ["Dogs", "Cats", "Birds", "Rodents", "Reptiles"];

const soldNames = ["Kiwi", "Peanut", "Max", "Cleo"];
const pendingNames = ["Ziggy", "Luna", "Biscuit"];

const animalNames =
  "Rex Mia Kiwi Nibbles Ziggy Bella Luna Sunny Peanut Iggy Max Félix 小鸟 Hazel شمس Charlie Cleo Rio Biscuit Spike";

export const sampleAnimals: readonly NewPet[] = animalNames.split(" ").map((name, index) => ({
  name,
  categoryId: 1 + (index % sampleCategories.length),
  status: soldNames.includes(name) ? "sold" : pendingNames.includes(name) ? "pending" : "available",
}));
