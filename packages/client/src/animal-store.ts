import { openText } from "./attempt.ts";
import { Call, type OperationId } from "./call.ts";
import { EventStream } from "./event-stream.ts";
import { type Int64, type OperationFacts, type Operations, operations, type Pet } from "./generated.ts";
import { List, type ListId, requireItems } from "./list.ts";
import { methods } from "./methods.ts";
import { PetExport } from "./pet-export.ts";
import { type AnimalStoreOptions, type Input, type OptionsOf, requireId, Sender } from "./sender.ts";
import { verifyWebhook } from "./webhook.ts";

export type Methods<Group extends Readonly<Record<string, OperationId>>> = {
  readonly [Name in keyof Group]: Method<Group[Name]>;
};

/** The arguments are the path parameters, the body or the query, and options. */
export type Method<Id extends OperationId> = (
  ...args: [...Operations[Id]["arguments"], options?: OptionsOf<Id>]
) => Id extends ListId ? List<Id> : Call<Id>;

export class AnimalStore {
  readonly pets: Methods<typeof methods.pets> & ReturnType<typeof createPetMethods>;
  readonly orders: Methods<typeof methods.orders>;
  readonly inventory: ReturnType<typeof createInventoryMethods>;
  readonly categories: Methods<typeof methods.categories>;
  readonly events: Methods<typeof methods.events> & ReturnType<typeof createEventMethods>;
  readonly keys: Methods<typeof methods.keys>;
  readonly webhooks: Methods<typeof methods.webhooks> & {
    /** Checks that a webhook comes from the store, and returns its event. Throws WebhookVerificationError. */
    readonly verify: typeof verifyWebhook;
  };

  constructor(options: AnimalStoreOptions) {
    const sender = new Sender(options);
    this.pets = { ...bind(methods.pets, sender), ...createPetMethods(sender) };
    this.orders = bind(methods.orders, sender);
    this.inventory = createInventoryMethods(sender);
    this.categories = bind(methods.categories, sender);
    this.events = { ...bind(methods.events, sender), ...createEventMethods(sender) };
    this.keys = bind(methods.keys, sender);
    this.webhooks = { ...bind(methods.webhooks, sender), verify: verifyWebhook };
  }
}

function bind<Group extends Readonly<Record<string, OperationId>>>(group: Group, sender: Sender): Methods<Group> {
  const bound = Object.entries(group).map(([name, id]) => [name, createMethod(id, sender)]);
  return Object.fromEntries(bound) as Methods<Group>;
}

function createMethod(id: OperationId, sender: Sender) {
  const { path: template, payload, isPaged }: OperationFacts = operations[id];
  const parameterNames = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  return (...args: readonly unknown[]) => {
    const path = Object.fromEntries(parameterNames.map((name, index) => [name, args[index]]));
    const rest = args.slice(parameterNames.length);
    const input: Input = { path, ...(payload && { [payload]: rest.shift() }) };
    const options = (rest[0] ?? {}) as OptionsOf<OperationId>;
    if (isPaged) return new List(sender, id as ListId, input, options);
    return sender.call(id, input, options);
  };
}

function createPetMethods(sender: Sender) {
  return {
    /** Returns undefined if the animal does not exist. The headers of the response have its `ETag`, for `ifMatch`. */
    find(petId: Int64, options: OptionsOf<"listPets"> = {}): Call<"listPets", Pet | undefined> {
      const find = async () => {
        const query = { id: requireId("petId", petId) };
        const response = await sender.call("listPets", { query }, options).withResponse();
        return { ...response, data: requireItems(response)[0] };
      };
      return new Call(find());
    },

    /** Adds up to 1,000 animals, or none if one is invalid. With `atomic: false`, the valid animals are added; `results` has the errors. */
    createMany(
      pets: Operations["createPets"]["body"]["pets"],
      { atomic, ...options }: OptionsOf<"createPets"> & { readonly atomic?: boolean | undefined } = {},
    ): Call<"createPets"> {
      return sender.call("createPets", { body: { pets, atomic } }, options);
    },

    /** Returns all animals as of one moment. `timeoutMs` limits the time until the response starts, and each pause in it. */
    export(options: OptionsOf<"exportPets"> = {}): Call<"exportPets", PetExport> {
      return sender.open("exportPets", { accept: exportType }, options, async (response, attempt) => {
        const pieces = await openText(response, attempt, exportType, options.timeoutMs ?? maxPauseMs);
        return new PetExport(response.headers.get("Event-Cursor") ?? "", pieces);
      });
    },
  };
}

const exportType = "application/x-ndjson";
const maxPauseMs = 30_000;

function createInventoryMethods(sender: Sender) {
  return {
    /** Counts all animals by status. */
    get(options: OptionsOf<"getInventory"> = {}): Call<"getInventory"> {
      return sender.call("getInventory", {}, options);
    },

    /** Counts the animals of a category by status. A count of 1,000 means 1,000 or more. */
    ofCategory(categoryId: Int64, options: OptionsOf<"getInventory"> = {}): Call<"getInventory"> {
      return sender.call("getInventory", { query: { categoryId } }, options);
    },
  };
}

function createEventMethods(sender: Sender) {
  return {
    /** Streams the past events and then new ones as they happen, until you leave the loop or abort the signal. */
    stream(query: Operations["listEvents"]["query"] = {}, options: OptionsOf<"listEvents"> = {}): EventStream {
      return new EventStream(sender, query, options);
    },
  };
}
