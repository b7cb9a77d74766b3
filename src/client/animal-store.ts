import { Categories } from "./methods/categories.ts";
import { Events } from "./methods/events.ts";
import { InventoryMethods } from "./methods/inventory.ts";
import { Keys } from "./methods/keys.ts";
import { Orders } from "./methods/orders.ts";
import { Pets } from "./methods/pets.ts";
import { Webhooks } from "./methods/webhooks.ts";
import { type Limits, type Logger, Sender } from "./sender.ts";

export interface AnimalStoreOptions extends Partial<Limits> {
  /** Where the service is, such as `http://127.0.0.1:8080`; it may end with the version, `/v1`. In a browser it may be relative. */
  readonly baseUrl: string | URL;
  /** The API key, or a function that gives the current one, which is asked before each request. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Where warnings go; the console, unless you say otherwise. */
  readonly logger?: Logger | undefined;
  /** What requests are made with; the platform's own `fetch`, unless you say otherwise. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** An animal store, as one API key sees it. */
export class AnimalStore {
  readonly pets: Pets;
  readonly orders: Orders;
  readonly inventory: InventoryMethods;
  readonly categories: Categories;
  readonly events: Events;
  readonly keys: Keys;
  readonly webhooks: Webhooks;

  constructor(options: AnimalStoreOptions) {
    const sender = new Sender(options);
    this.pets = new Pets(sender);
    this.orders = new Orders(sender);
    this.inventory = new InventoryMethods(sender);
    this.categories = new Categories(sender);
    this.events = new Events(sender);
    this.keys = new Keys(sender);
    this.webhooks = new Webhooks(sender);
  }
}
