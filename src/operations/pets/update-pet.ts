import { petTransitions } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { examplePet, Pet, PetPatch } from "./schemas.ts";

const transitionsText = Object.entries(petTransitions)
  .map(([from, to]) => `\`${from}\` to \`${to.join("` or `")}\``)
  .join(", ");

export const updatePet = operation({
  id: "updatePet",
  endpoint: "PATCH /pets/:petId",
  summary: "Change an animal",
  description:
    `Changes the fields in the body and leaves the others as they are. The status can change from ${transitionsText}; anything else gets 409. ` +
    "While the animal has an open order, only the order can change its status. With `If-Match`, nothing is changed if another client has changed the animal since you read it.",
  params: { petId: int64Field("Identifier of the animal to change.") },
  body: {
    schema: PetPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      reserve: ["Reserve it", { status: "pending" }],
      rename: ["Another name and category", { name: "Rexy", categoryId: 8 }],
    },
  },
  success: {
    description: "The animal as it is now.",
    schema: Pet,
    examples: { changed: ["The changed animal", { ...examplePet, status: "pending" }] },
  },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, body, expected }, { store }) => store.pets.update(petId, body, expected),
});
