import { noSuchPet, petFields, petStatuses, petTransitions, type Pet as StoredPet } from "../domain/pet.ts";
import { operation } from "./definition.ts";
import { ErrorBody, errorKinds } from "./errors.ts";
import {
  beta,
  complainOfStart,
  int64Field,
  largestLimit,
  limitField,
  nameFilterField,
  objectSchema,
  pageSchema,
  severalOf,
  sortField,
} from "./fields.ts";
import { type Complaint, InvalidInput, InvalidItem, requireValid, validOf } from "./invalid-input.ts";
import { Export, found } from "./operation.ts";
import { type Documentation, newResourceSchema, patchSchema, resourceSchema } from "./resource-schema.ts";
import { expects, itemizedList, Nothing, whenAbsent } from "./schema.ts";

const documentation = {
  id: "Unique identifier assigned by the service on creation. Ascends from 1 and is never reused.",
  name: "The animal's name, kept exactly as it was sent.",
  categoryId: "Identifier of the category the animal belongs to. The category need not exist.",
  status: { $id: "PetStatus", description: "Whether an animal can be bought." },
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
const otherPet = { ...examplePet, id: 2, name: "Mia", status: "pending" } as const;

/** Maximum number of animals in a request. */
export const largestBatch = 1_000;

export const NewPetBatch = {
  $id: "NewPetBatch",
  type: "object",
  description: "Animals to add by one request.",
  required: ["pets"],
  properties: {
    pets: itemizedList(NewPet, largestBatch, "The animals, in the order in which they are added: their ids ascend."),
    atomic: {
      type: "boolean",
      description:
        "Whether all are added or none. If false, those that are wrong are left out, and the others are added. Default: `true`.",
      [expects]: "true or false",
      [whenAbsent]: true,
    },
  },
} as const;

const batchCount = { type: "integer", minimum: 0, maximum: largestBatch } as const;

export const PetBatch = objectSchema("PetBatch", "What became of the animals of one request.", {
  created: { ...batchCount, description: "How many were added." },
  failed: { ...batchCount, description: "How many were not." },
  results: {
    type: "array",
    description: "What became of each, in the order of the request.",
    maxItems: largestBatch,
    items: {
      type: "object",
      description: "What became of one animal: it has either `pet` or `error`.",
      required: ["index"],
      properties: {
        index: {
          type: "integer",
          minimum: 0,
          maximum: largestBatch - 1,
          description: "The place of the animal in the request, from 0.",
        },
        pet: { ...Pet, description: "The animal that was added." },
        error: {
          ...ErrorBody,
          description: "Why it was not added: the message names everything that is wrong with it.",
        },
      },
    },
  },
});

export const listPets = operation({
  id: "listPets",
  endpoint: "GET /pets",
  summary: "List animals",
  description:
    "Returns a paginated list of animals, ascending by `id` unless you `sort` it otherwise or look for a `name`. The body is a bare array; the `Link` header contains the URL of the next page, and has no `next` on the last page. " +
    "An animal that exists and matches the filters while you read all pages is on exactly one of them, whatever is added, changed or deleted meanwhile. Only a list by `name` follows the names: an animal that is renamed meanwhile may be on two of its pages, or on none.",
  stability: "stable",
  query: {
    limit: limitField,
    status: severalOf(
      {
        ...PetStatus,
        description:
          "Returns only animals with this status, or with one of several that are separated by commas (beta).",
      },
      petStatuses.length,
    ),
    id: severalOf(
      int64Field(
        `Returns only the animal with this identifier: an array of one or none. Without other filters, the response carries the animal's own \`ETag\`, for \`If-Match\`. Up to ${largestLimit} identifiers, separated by commas (beta), return those of the animals that exist.`,
      ),
      largestLimit,
    ),
    categoryId: beta(int64Field("Returns only animals of this category.")),
    sort: beta(sortField),
    name: nameFilterField(
      "Returns only animals whose names start with this text, ignoring case and accents: `re` finds Rex and Rémy. They come in the order of their names, and this cannot be combined with other filters or with `sort`.",
      "re",
    ),
  },
  complain({ query: { name, limit: _, ...others }, ...start }) {
    return name === undefined ? [] : [...complainOfOthers("name", others), ...complainOfStart(name, start)];
  },
  paged: true,
  isAppended: ({ sort, name }) => sort !== "-id" && name === undefined,
  namedBy: "id",
  success: {
    description: "A page of animals.",
    schema: Pets,
    examples: {
      page: { summary: "Two animals", value: [examplePet, otherPet] },
      none: { summary: "No animal matches", value: [] },
    },
  },
  handle({ query: { limit, status, id, categoryId, sort, name }, after, afterName }, { store }) {
    if (name === undefined) {
      return store.pets.list({ status, id, categoryId }, { limit, after, isDescending: sort === "-id" });
    }
    return store.pets.list({ name }, { limit, after, afterName });
  },
});

/** Complains about every parameter that cannot be combined with this one. */
function complainOfOthers(name: string, others: Readonly<Record<string, unknown>>): Complaint[] {
  return Object.entries(others).flatMap(([other, value]) =>
    value === undefined ? [] : [{ pointer: `?${other}`, message: `${other} cannot be combined with ${name}.` }],
  );
}

export const getPet = operation({
  id: "getPet",
  endpoint: "GET /pets/:petId",
  summary: "Get an animal",
  description:
    "Returns a single animal. Deprecated: use `GET /pets?id={petId}` instead. It works until the end of 5 December 2030 (UTC); from then on it returns 410.",
  stability: "stable",
  deprecated: { since: "2026-11-14", sunset: "2030-12-05", successor: "/pets?id={petId}" },
  params: { petId: int64Field("Identifier of the animal to retrieve.") },
  success: {
    description: "The animal.",
    schema: Pet,
    examples: { animal: { summary: "An animal", value: examplePet } },
  },
  errors: ["NotFound"],
  handle: ({ params: { petId } }, { store }) => found(store.pets.get(petId), () => noSuchPet(petId)),
});

export const createPet = operation({
  id: "createPet",
  endpoint: "POST /pets",
  summary: "Add an animal",
  description:
    "Adds an animal. The response is sent once the animal is safely on disk: after a 201, it survives a crash and a power cut.",
  stability: "stable",
  body: {
    schema: NewPet,
    examples: {
      short: { summary: "Required fields only", value: { name: "Rex", categoryId: 7 } },
      whole: { summary: "With a status", value: { name: "Mia", categoryId: 7, status: "pending" } },
    },
  },
  success: {
    status: 201,
    description: "Animal added; the body contains the assigned `id`.",
    schema: Pet,
    examples: { created: { summary: "The animal with its id", value: examplePet } },
    location: { at: getPet, params: ({ id }) => ({ petId: id }) },
  },
  handle: ({ body }, { store }) => store.pets.create(body),
});

export const createPets = operation({
  id: "createPets",
  endpoint: "POST /pets:batch",
  summary: "Add many animals",
  description: `Adds up to ${largestBatch} animals by one request, in one transaction, and tells what became of each. With \`atomic\` (the default), one that is wrong makes the request fail with 400, and none is added; without it, those that are wrong are answered with their errors, and all others are added. It counts as one request.`,
  body: {
    schema: NewPetBatch,
    examples: {
      atomic: {
        summary: "All or none",
        value: {
          pets: [
            { name: "Rex", categoryId: 7 },
            { name: "Mia", categoryId: 7, status: "pending" },
          ],
        },
      },
      single: {
        summary: "Those that are right",
        value: {
          pets: [
            { name: "Rex", categoryId: 7 },
            { name: "Mia", categoryId: 7 },
          ],
          atomic: false,
        },
      },
    },
    // So many names of 255 characters outside of the Basic Multilingual Plane, each escaped, would fit.
    kibibytes: 4096,
  },
  success: {
    description: "What became of each animal.",
    schema: PetBatch,
    examples: {
      one: {
        summary: "One was added, one was wrong",
        value: {
          created: 1,
          failed: 1,
          results: [
            { index: 0, pet: examplePet },
            {
              index: 1,
              error: {
                code: "BadRequest",
                message:
                  "categoryId is missing; it must be an integer from -9223372036854775808 to 9223372036854775807.",
                status: 400,
              },
            },
          ],
        },
      },
    },
    isReport: true,
  },
  async handle({ body: { pets, atomic } }, { store }) {
    const valid = atomic ? requireValid("pets", pets) : validOf(pets);
    const added = await store.pets.createAll(valid);
    let next = 0;
    const results = pets.map((pet, index) =>
      pet instanceof InvalidItem ? { index, error: errorOf(pet) } : { index, pet: added[next++] as StoredPet },
    );
    return { created: added.length, failed: pets.length - added.length, results };
  },
});

function errorOf({ complaints }: InvalidItem) {
  const { code, message } = new InvalidInput(complaints);
  return { code, message, status: errorKinds[code].status };
}

const transitions = Object.entries(petTransitions).map(([from, to]) => `\`${from}\` to \`${to.join("` or `")}\``);

export const updatePet = operation({
  id: "updatePet",
  endpoint: "PATCH /pets/:petId",
  summary: "Change an animal",
  description:
    `Changes the fields in the body and leaves the others as they are. The status can change from ${transitions.join(", ")}; anything else gets 409. ` +
    "While the animal has an open order, only the order can change its status. With `If-Match`, nothing is changed if somebody else has changed the animal since.",
  params: { petId: int64Field("Identifier of the animal to change.") },
  body: {
    schema: PetPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      reserve: { summary: "Reserve it", value: { status: "pending" } },
      rename: { summary: "Another name and category", value: { name: "Rexy", categoryId: 8 } },
    },
  },
  success: {
    description: "The animal as it is now.",
    schema: Pet,
    examples: { changed: { summary: "The changed animal", value: { ...examplePet, status: "pending" } } },
  },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, body, expected }, { store }) => store.pets.update(petId, body, expected),
});

export const deletePet = operation({
  id: "deletePet",
  endpoint: "DELETE /pets/:petId",
  summary: "Delete an animal",
  description:
    "Deletes an animal permanently; its id is never reused. An animal with an open order is kept, and gets 409. Completed and cancelled orders stay.",
  params: { petId: int64Field("Identifier of the animal to delete.") },
  success: { status: 204, description: "The animal was deleted.", schema: Nothing, examples: {} },
  errors: ["Conflict"],
  current: { read: ({ params: { petId } }, { store }) => store.pets.get(petId) },
  handle: ({ params: { petId }, expected }, { store }) => store.pets.delete(petId, expected),
});

export const exportPets = operation({
  id: "exportPets",
  endpoint: "GET /export",
  summary: "Export all animals",
  description:
    "Returns all animals as of one moment, ascending by `id`: a JSON object on each line (NDJSON). `Event-Cursor` is the place of that moment in the log of events: follow `GET /events` from there, and you have a replica without a gap. An event from before that moment may come once more; its `data` is the whole animal, so that applying it again does no harm. If the connection ends without the end of the body, something is missing: start over.",
  success: {
    description: "All animals, one on each line.",
    schema: { type: "string", description: "NDJSON: an animal on each line, as `Pet` describes it." },
    mediaType: "application/x-ndjson",
    examples: {
      two: {
        summary: "Two animals",
        value: `${JSON.stringify(examplePet)}\n${JSON.stringify(otherPet)}\n`,
      },
    },
  },
  isExport: true,
  handle: (_, { store }) => new Export((visitor) => store.export(visitor)),
});

export const petOperations = [listPets, createPet, createPets, getPet, updatePet, deletePet, exportPets];
export const petSchemas = [PetStatus, NewPet, PetPatch, Pet, Pets, NewPetBatch, PetBatch];
