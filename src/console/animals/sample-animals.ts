import type { NewPet } from "../../client/index.ts";

/** Their numbers are their places, from 1 on. */
export const sampleCategories = ["Dogs", "Cats", "Birds", "Rodents", "Reptiles"];

export const sampleAnimals: readonly NewPet[] = [
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
