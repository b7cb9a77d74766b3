import { ErrorBody, ProblemBody } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { createPet } from "./pets/create-pet.ts";
import { getPet } from "./pets/get-pet.ts";
import { listPets } from "./pets/list-pets.ts";
import { NewPet, Pet, PetStatus, Pets } from "./pets/schemas.ts";
import type { JsonSchema } from "./schema.ts";

/** The whole interface, in the order of its document. */
export const operations: readonly Operation[] = [listPets, createPet, getPet];

/** The schemas that have a name in the document. */
export const schemas: readonly JsonSchema[] = [PetStatus, NewPet, Pet, Pets, ErrorBody, ProblemBody];
