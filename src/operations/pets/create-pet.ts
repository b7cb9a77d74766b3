import { operation } from "../definition.ts";
import { getPet } from "./get-pet.ts";
import { examplePet, NewPet, Pet } from "./schemas.ts";

export const createPet = operation({
  id: "createPet",
  endpoint: "POST /pets",
  summary: "Add an animal",
  description:
    "Adds an animal. The response is sent once the animal is safely on disk: after a 201, it survives a crash and a power cut.",
  stability: "stable",
  body: {
    schema: NewPet,
    examples: {
      short: ["Required fields only", { name: "Rex", categoryId: 7 }],
      whole: ["With a status", { name: "Mia", categoryId: 7, status: "pending" }],
    },
  },
  success: {
    status: 201,
    description: "Animal added; the body contains the assigned `id`.",
    schema: Pet,
    examples: { created: ["The animal with its id", examplePet] },
    location: { at: getPet, params: ({ id }) => ({ petId: id }) },
  },
  handle: ({ body }, { store }) => store.pets.create(body),
});
