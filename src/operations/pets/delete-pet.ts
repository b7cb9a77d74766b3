import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { Nothing } from "../schema.ts";

export const deletePet = operation({
  id: "deletePet",
  method: "DELETE",
  path: "/pets/:petId",
  tag: "animals",
  summary: "Delete an animal",
  description:
    "Removes an animal for good; its id is never used again. One that has an open order is kept, and answered with 409. Orders that have ended stay.",
  scope: "write",
  stability: "beta",
  params: { petId: int64Field("Identifier of the animal to delete.") },
  success: { status: 204, description: "The animal is gone.", schema: Nothing, examples: {} },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, expected }, { store }) => store.pets.delete(petId, expected),
});
