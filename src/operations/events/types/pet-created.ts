import { examplePet, Pet } from "../../pets/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const petCreated = eventKind({
  type: "pet.created",
  subject: "pets",
  summary: "An animal was added",
  description: "An animal was added to the store.",
  scope: "read",
  data: Pet,
  example: { data: examplePet },
});
