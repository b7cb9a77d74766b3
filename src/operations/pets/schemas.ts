import { defaultPetStatus, petStatuses } from "../../domain/pet.ts";
import { idField, int64Field, largestLimit, nameField } from "../fields.ts";
import { expects, whenAbsent } from "../schema.ts";

export const PetStatus = {
  $id: "PetStatus",
  type: "string",
  enum: petStatuses,
  description: "Whether an animal can be bought.",
  [expects]: `one of ${petStatuses.join(", ")}`,
} as const;

const fields = {
  name: nameField("The animal's name, kept exactly as it was sent."),
  categoryId: int64Field("Identifier of the category the animal belongs to. The category need not exist."),
} as const;

export const NewPet = {
  $id: "NewPet",
  type: "object",
  description: "An animal to be added.",
  required: ["name", "categoryId"],
  properties: {
    ...fields,
    status: {
      ...PetStatus,
      description: `Availability status. One that is left out is \`${defaultPetStatus}\`.`,
      [whenAbsent]: defaultPetStatus,
    },
  },
} as const;

export const PetPatch = {
  $id: "PetPatch",
  type: "object",
  description: "What is to be different about an animal (RFC 7396). A field that is left out stays as it is.",
  properties: { ...fields, status: PetStatus },
} as const;

export const Pet = {
  $id: "Pet",
  type: "object",
  description: "An animal of the store.",
  required: ["id", "name", "categoryId", "status"],
  properties: {
    id: idField("Unique identifier assigned by the service on creation. Ascends from 1 and is never used again."),
    ...fields,
    status: PetStatus,
  },
} as const;

export const Pets = {
  $id: "Pets",
  type: "array",
  description: "A page of animals, ascending by `id`.",
  maxItems: largestLimit,
  items: Pet,
} as const;

export const examplePet = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;
