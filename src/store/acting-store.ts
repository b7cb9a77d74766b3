import type { Claim } from "../domain/claim.ts";
import type { CategoryStore, KeyStore, OrderStore, PetStore, Store, WebhookStore } from "./store.ts";

/** Makes the parts of a store whose writes go a certain way, such as in the name of an origin or under a claim. */
export interface WritingParts<Way> {
  pets(way: Way): PetStore;
  orders(way: Way): OrderStore;
  categories(way: Way): CategoryStore;
  keys(way: Way): KeyStore;
  webhooks(way: Way): WebhookStore;
}

/**
 * Returns a function that makes the same store with another way of writing. Everything but the parts is inherited from the store. A
 * part is made when it is used: each request that writes uses one, and making all of them would be a good part of what a create costs.
 * `under` returns the way in which a write is made under a claim.
 */
export function actingStores<Way>(
  store: Store,
  parts: WritingParts<Way>,
  under: (claim: Claim, way: Way) => Way,
): (way: Way) => Store {
  class ActingStore {
    constructor(readonly way: Way) {}

    get pets() {
      return parts.pets(this.way);
    }

    get orders() {
      return parts.orders(this.way);
    }

    get categories() {
      return parts.categories(this.way);
    }

    get keys() {
      return parts.keys(this.way);
    }

    get webhooks() {
      return parts.webhooks(this.way);
    }

    once(claim: Claim): Store {
      return actingIn(under(claim, this.way));
    }
  }
  Object.setPrototypeOf(ActingStore.prototype, store);
  const actingIn = (way: Way) => new ActingStore(way) as ActingStore & Store;
  return actingIn;
}
