import type { Int64 } from "../base/int64.ts";
import type { Claim } from "../domain/claim.ts";
import type { Origin } from "../domain/event.ts";
import type {
  CategoryStore,
  ExportVisitor,
  KeyStore,
  OrderStore,
  PetStore,
  RequestKind,
  Store,
  WebhookStore,
} from "./store.ts";

/** Makes the parts of a store whose writes go a certain way, such as in the name of an origin or under a claim. */
export interface WritingParts<Way> {
  pets(way: Way): PetStore;
  orders(way: Way): OrderStore;
  categories(way: Way): CategoryStore;
  keys(way: Way): KeyStore;
  webhooks(way: Way): WebhookStore;
}

/**
 * The same store as another, but for the way in which it writes. Each request that writes has one and uses one part of it, so
 * a part is made when it is asked for: making all of them would be a good part of what a create costs.
 */
export class ActingStore<Way> implements Store {
  readonly #store: Store;
  readonly #parts: WritingParts<Way>;
  readonly #way: Way;
  readonly #under: (claim: Claim, way: Way) => Way;

  /** `under` gives the way in which a write is made under a claim. */
  constructor(store: Store, parts: WritingParts<Way>, way: Way, under: (claim: Claim, way: Way) => Way) {
    this.#store = store;
    this.#parts = parts;
    this.#way = way;
    this.#under = under;
  }

  get pets() {
    return this.#parts.pets(this.#way);
  }

  get orders() {
    return this.#parts.orders(this.#way);
  }

  get categories() {
    return this.#parts.categories(this.#way);
  }

  get keys() {
    return this.#parts.keys(this.#way);
  }

  get webhooks() {
    return this.#parts.webhooks(this.#way);
  }

  once(claim: Claim): Store {
    return new ActingStore(this.#store, this.#parts, this.#under(claim, this.#way), this.#under);
  }

  get events() {
    return this.#store.events;
  }

  get transfer() {
    return this.#store.transfer;
  }

  get freshness() {
    return this.#store.freshness;
  }

  get clock() {
    return this.#store.clock;
  }

  get quotas() {
    return this.#store.quotas;
  }

  get attribution() {
    return this.#store.attribution;
  }

  inventory() {
    return this.#store.inventory();
  }

  inventoryOf(categoryId: Int64) {
    return this.#store.inventoryOf(categoryId);
  }

  by(origin: Origin): Store {
    return this.#store.by(origin);
  }

  export(visitor: ExportVisitor): Promise<void> {
    return this.#store.export(visitor);
  }

  tidy(now: number): Promise<void> {
    return this.#store.tidy(now);
  }

  ready(kind: RequestKind) {
    return this.#store.ready(kind);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
