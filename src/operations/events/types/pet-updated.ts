import { examplePet, Pet } from "../../pets/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const petUpdated = eventKind({
  type: "pet.updated",
  subject: "pets",
  summary: "An animal was changed",
  description: "An animal was changed, by a request to it or by an order for it.",
  scope: "read",
  data: Pet,
  changes: ["name", "categoryId", "status"],
  example: { data: { ...examplePet, status: "pending" }, previous: { status: "available" } },
});
