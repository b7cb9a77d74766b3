import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { NoBody } from "../schema.ts";

export const deletePet = operation({
  id: "deletePet",
  endpoint: "DELETE /pets/:petId",
  summary: "Delete an animal",
  description:
    "Deletes an animal permanently; its id is never reused. An animal with an open order is kept, and gets 409. Completed and cancelled orders stay.",
  params: { petId: int64Field("Identifier of the animal to delete.") },
  success: { status: 204, description: "The animal was deleted.", schema: NoBody, examples: {} },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, expected }, { store }) => store.pets.delete(petId, expected),
});
