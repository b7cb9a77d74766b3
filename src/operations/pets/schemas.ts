import Type from "typebox";
import { defaultPetStatus, petStatuses, type PetStatus as Status } from "../../domain/pet.ts";
import { expects, int64Field } from "../fields.ts";

export const PetStatus = Type.Unsafe<Status>({
  $id: "PetStatus",
  type: "string",
  enum: petStatuses,
  description: "Whether an animal can be bought.",
  [expects]: `one of ${petStatuses.join(", ")}`,
});

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    // Not blank, and neither control characters nor halves of surrogate pairs.
    pattern: "^(?=\\s*\\S)[^\\p{Cc}\\p{Cs}]+$",
    description: "The animal's name, kept exactly as it was sent.",
    [expects]: "a string of 1 to 255 characters, not blank and without control characters",
  }),
  categoryId: int64Field("Identifier of the category the animal belongs to. The category need not exist."),
};

export const NewPet = Type.Object(
  { ...fields, status: Type.Optional({ ...PetStatus, default: defaultPetStatus }) },
  { $id: "NewPet", description: "An animal to be added." },
);

export const Pet = Type.Object(
  {
    id: Type.Integer({
      format: "int64",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Unique identifier assigned by the service on creation. Ascends from 1 and is never used again.",
    }),
    ...fields,
    status: PetStatus,
  },
  { $id: "Pet", description: "An animal of the store." },
);

export const Pets = Type.Array(Pet, { $id: "Pets", description: "A page of animals, ascending by `id`." });

export const examplePet = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;
