import { Call } from "../call.ts";
import type { Pet } from "../generated.ts";
import { itemsOf, type List } from "../list.ts";
import { PetExport } from "../pet-export.ts";
import { idOf } from "../sender.ts";
import { openText } from "../streamed-body.ts";
import { type Body, Methods, type Options, type Path, type Query } from "./methods.ts";

export class Pets extends Methods {
  /** The animals that match the filters, ascending by id unless `sort` or `name` says otherwise. */
  list(query: Query<"listPets"> = {}, options?: Options<"listPets">): List<"listPets"> {
    return this.listOf("listPets", query, options);
  }

  /** The animal with that id, if there is one. Its `ETag`, for `ifMatch`, is in the response. */
  find(petId: Path<"getPet", "petId">, options?: Options<"listPets">): Call<"listPets", Pet | undefined> {
    return new Call(this.#find(petId, options));
  }

  create(pet: Body<"createPet">, options?: Options<"createPet">): Call<"createPet"> {
    return this.call("createPet", { body: pet }, options);
  }

  /**
   * Adds up to 1,000 animals by one request: all or, if one is wrong, none. With `atomic: false`, those that are right are
   * added, and `results` tells what is wrong with the others.
   */
  createMany(
    pets: Body<"createPets">["pets"],
    { atomic, ...options }: Options<"createPets"> & Pick<Body<"createPets">, "atomic"> = {},
  ): Call<"createPets"> {
    return this.call("createPets", { body: { pets, ...(atomic !== undefined && { atomic }) } }, options);
  }

  /** @deprecated It works until 2030-12-05. Use `find` instead. */
  get(petId: Path<"getPet", "petId">, options?: Options<"getPet">): Call<"getPet"> {
    return this.call("getPet", { path: { petId } }, options);
  }

  /** Changes the fields that are given. With `ifMatch`, only if the animal is still the one that you have read. */
  update(
    petId: Path<"updatePet", "petId">,
    changes: Body<"updatePet">,
    options?: Options<"updatePet">,
  ): Call<"updatePet"> {
    return this.call("updatePet", { path: { petId }, body: changes }, options);
  }

  delete(petId: Path<"deletePet", "petId">, options?: Options<"deletePet">): Call<"deletePet"> {
    return this.call("deletePet", { path: { petId } }, options);
  }

  /** All animals as of one moment, in one response of any size. `timeoutMs` is for its beginning, and for each pause in it. */
  export(options: Options<"exportPets"> = {}): Call<"exportPets", PetExport> {
    return this.sender.open("exportPets", { accept: exported }, options, async (response, attempt) => {
      const pieces = await openText(response, attempt, exported, options.timeoutMs ?? quietLimitMs);
      return new PetExport(response.headers.get("Event-Cursor") ?? "", pieces);
    });
  }

  async #find(petId: Path<"getPet", "petId">, options?: Options<"listPets">) {
    const query = { id: idOf("petId", petId) };
    const response = await this.call("listPets", { query }, options).withResponse();
    return { ...response, data: itemsOf(response)[0] };
  }
}

const exported = "application/x-ndjson";
const quietLimitMs = 30_000;
