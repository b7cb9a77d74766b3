import { examplePet, Pet } from "../../pets/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const petDeleted = eventKind({
  type: "pet.deleted",
  subject: "pets",
  summary: "An animal was deleted",
  description: "An animal was deleted. `data` is what it was.",
  scope: "read",
  data: Pet,
  example: { data: examplePet },
});
