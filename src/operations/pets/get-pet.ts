import { operation } from "../definition.ts";
import { int64Field } from "../fields.ts";
import { requireFound } from "../operation.ts";
import { examplePet, Pet } from "./schemas.ts";

export const getPet = operation({
  id: "getPet",
  endpoint: "GET /pets/:petId",
  summary: "Get an animal",
  description:
    "Returns a single animal. Deprecated: use `GET /pets?id={petId}` instead. It works until the end of 5 December 2030 (UTC); from then on it returns 410.",
  stability: "stable",
  deprecated: { since: "2026-11-14", sunset: "2030-12-05", successor: "/pets?id={petId}" },
  params: { petId: int64Field("Identifier of the animal to retrieve.") },
  success: { description: "The animal.", schema: Pet, examples: { animal: ["An animal", examplePet] } },
  handle: ({ params: { petId } }, { store }) => requireFound(store.pets.get(petId), "animal", petId),
});
