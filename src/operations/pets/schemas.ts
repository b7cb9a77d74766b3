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
  description: "An animal to add.",
  required: ["name", "categoryId"],
  properties: {
    ...fields,
    status: {
      ...PetStatus,
      description: `Availability status. Default: \`${defaultPetStatus}\`.`,
      [whenAbsent]: defaultPetStatus,
    },
  },
} as const;

export const PetPatch = {
  $id: "PetPatch",
  type: "object",
  description: "The fields of an animal to change (RFC 7396). Omitted fields stay as they are.",
  properties: { ...fields, status: PetStatus },
} as const;

export const Pet = {
  $id: "Pet",
  type: "object",
  description: "An animal of the store.",
  required: ["id", "name", "categoryId", "status"],
  properties: {
    id: idField("Unique identifier assigned by the service on creation. Ascends from 1 and is never reused."),
    ...fields,
    status: PetStatus,
  },
} as const;

export const Pets = {
  $id: "Pets",
  type: "array",
  description: "A page of animals.",
  maxItems: largestLimit,
  items: Pet,
} as const;

export const examplePet = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;
