import type { Pet as StoredPet } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { errorKinds } from "../errors.ts";
import { InvalidInput, InvalidItem, requireValid, validOf } from "../invalid-input.ts";
import { examplePet, maxBatchSize, NewPetBatch, PetBatch } from "./schemas.ts";

export const createPets = operation({
  id: "createPets",
  endpoint: "POST /pets:batch",
  summary: "Add many animals",
  description: `Adds up to ${maxBatchSize} animals by one request, in one transaction, and tells what became of each. With \`atomic\` (the default), one that is wrong makes the request fail with 400, and none is added; without it, those that are wrong are answered with their errors, and all others are added. It counts as one request.`,
  body: {
    schema: NewPetBatch,
    examples: {
      atomic: {
        summary: "All or none",
        value: {
          pets: [
            { name: "Rex", categoryId: 7 },
            { name: "Mia", categoryId: 7, status: "pending" },
          ],
        },
      },
      single: {
        summary: "Those that are right",
        value: {
          pets: [
            { name: "Rex", categoryId: 7 },
            { name: "Mia", categoryId: 7 },
          ],
          atomic: false,
        },
      },
    },
    // So many names of 255 characters outside of the Basic Multilingual Plane, each escaped, would fit.
    kibibytes: 4096,
  },
  success: {
    description: "What became of each animal.",
    schema: PetBatch,
    examples: {
      one: {
        summary: "One was added, one was wrong",
        value: {
          created: 1,
          failed: 1,
          results: [
            { index: 0, pet: examplePet },
            {
              index: 1,
              error: {
                code: "BadRequest",
                message:
                  "categoryId is missing; it must be an integer from -9223372036854775808 to 9223372036854775807.",
                status: 400,
              },
            },
          ],
        },
      },
    },
    isReport: true,
  },
  async handle({ body: { pets, atomic } }, { store }) {
    const valid = atomic ? requireValid("pets", pets) : validOf(pets);
    const added = await store.pets.createAll(valid);
    let next = 0;
    const results = pets.map((pet, index) =>
      pet instanceof InvalidItem ? { index, error: errorOf(pet) } : { index, pet: added[next++] as StoredPet },
    );
    return { created: added.length, failed: pets.length - added.length, results };
  },
});

function errorOf({ complaints }: InvalidItem) {
  const { code, message } = new InvalidInput(complaints);
  return { code, message, status: errorKinds[code].status };
}
