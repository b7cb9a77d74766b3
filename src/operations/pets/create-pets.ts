import type { NewPet, Pet as StoredPet } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { errorKinds } from "../errors.ts";
import { collectComplaints, InvalidInput, InvalidItem } from "../invalid-input.ts";
import { examplePet, maxBatchSize, NewPetBatch, PetBatch } from "./schemas.ts";

const rex = { name: "Rex", categoryId: 7 };
const mia = { name: "Mia", categoryId: 7 };

const exampleError = {
  code: "BadRequest",
  message: "categoryId is missing; it must be an integer from -9223372036854775808 to 9223372036854775807.",
  status: 400,
};

export const createPets = operation({
  id: "createPets",
  endpoint: "POST /pets:batch",
  summary: "Add many animals",
  description: `Adds up to ${maxBatchSize} animals in one request and one transaction, and returns the result for each. With \`atomic\` (the default), one invalid animal makes the request fail with 400, and none is added; without it, each invalid animal gets an error, and all others are added. The batch counts as one request.`,
  body: {
    schema: NewPetBatch,
    examples: {
      atomic: ["All or none", { pets: [rex, { ...mia, status: "pending" }] }],
      single: ["Valid animals only", { pets: [rex, mia], atomic: false }],
    },
    // Enough for a full batch, even if every name has 255 characters beyond U+FFFF, all of them escaped.
    kibibytes: 4096,
  },
  success: {
    description: "The result for each animal.",
    schema: PetBatch,
    examples: {
      one: [
        "One was added, one was invalid",
        {
          created: 1,
          failed: 1,
          results: [
            { index: 0, pet: examplePet },
            { index: 1, error: exampleError },
          ],
        },
      ],
    },
    isReport: true,
  },
  async handle({ body: { pets, atomic } }, { store }) {
    const complaints = atomic ? collectComplaints("pets", pets) : [];
    if (complaints.length > 0) throw new InvalidInput(complaints);
    const added = await store.pets.createAll(pets.filter((pet): pet is NewPet => !(pet instanceof InvalidItem)));
    let next = 0;
    const results = pets.map((pet, index) =>
      pet instanceof InvalidItem ? { index, error: toError(pet) } : { index, pet: added[next++] as StoredPet },
    );
    return { created: added.length, failed: pets.length - added.length, results };
  },
});

function toError({ complaints }: InvalidItem) {
  const { code, message } = new InvalidInput(complaints);
  return { code, message, status: errorKinds[code].status };
}
