import { petFields } from "../../domain/pet.ts";
import { ErrorBody } from "../errors.ts";
import { objectSchema, pageSchema } from "../fields.ts";
import { type Documentation, newResourceSchema, patchSchema, resourceSchema } from "../resource-schema.ts";
import { expects, itemizedList, whenAbsent } from "../schema.ts";

const documentation = {
  id: "Unique identifier assigned by the service on creation. Ascends from 1 and is never reused.",
  name: "The animal's name, kept exactly as it was sent.",
  categoryId: "Identifier of the category the animal belongs to. The category need not exist.",
  status: { $id: "PetStatus", description: "Availability of the animal." },
} satisfies Documentation<typeof petFields>;

export const Pet = resourceSchema("Pet", "An animal of the store.", petFields, documentation);

export const PetStatus = Pet.properties.status;

export const NewPet = newResourceSchema("NewPet", "An animal to add.", petFields, {
  ...documentation,
  status: { $id: "PetStatus", description: "Availability status." },
});

export const PetPatch = patchSchema(
  "PetPatch",
  "The fields of an animal to change (RFC 7396). Omitted fields stay as they are.",
  petFields,
  documentation,
);

export const Pets = pageSchema("Pets", "A page of animals.", Pet);

export const examplePet = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;

export const otherPet = { ...examplePet, id: 2, name: "Mia", status: "pending" } as const;

export const maxBatchSize = 1_000;

export const NewPetBatch = {
  $id: "NewPetBatch",
  type: "object",
  description: "Animals to add in one request.",
  required: ["pets"],
  properties: {
    pets: itemizedList(NewPet, maxBatchSize, "The animals, in the order in which they are added: their ids ascend."),
    atomic: {
      type: "boolean",
      description: "True to add either all animals or none, false to add the valid ones. Default: `true`.",
      [expects]: "true or false",
      [whenAbsent]: true,
    },
  },
} as const;

const batchCount = { type: "integer", minimum: 0, maximum: maxBatchSize } as const;

export const PetBatch = objectSchema("PetBatch", "The results of adding the animals of one request.", {
  created: { ...batchCount, description: "The number of animals that were added." },
  failed: { ...batchCount, description: "The number of animals that were not added." },
  results: {
    type: "array",
    description: "The result for each animal, in the order of the request.",
    maxItems: maxBatchSize,
    items: {
      type: "object",
      description: "The result for one animal, with either `pet` or `error`.",
      required: ["index"],
      properties: {
        index: { type: "integer", minimum: 0, maximum: maxBatchSize - 1, description: "The index in the request." },
        pet: { ...Pet, description: "The animal that was added." },
        error: { ...ErrorBody, description: "The reason why the animal was not added." },
      },
    },
  },
});

export const petSchemas = [PetStatus, NewPet, PetPatch, Pet, Pets, NewPetBatch, PetBatch];
