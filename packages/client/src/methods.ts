import type { OperationId } from "./call.ts";

/** The methods of the client that only pass on an operation, each with its operation. */
export const methods = {
  pets: {
    /** The animals that match the filters, ascending by id unless `sort` or `name` says otherwise. */
    list: "listPets",
    create: "createPet",
    /** @deprecated It works until 2030-12-05. Use `find` instead. */
    get: "getPet",
    /** Changes the given fields. With `ifMatch`, only if the animal is still the one that you have read. */
    update: "updatePet",
    delete: "deletePet",
  },
  orders: {
    list: "listOrders",
    /** Orders an available animal, which becomes pending. */
    place: "placeOrder",
    get: "getOrder",
    /** Ends the order by the sale of its animal. */
    complete: "completeOrder",
    /** Ends the order; its animal becomes available again. */
    cancel: "cancelOrder",
  },
  categories: {
    /** The categories that have a name. */
    list: "listCategories",
    get: "getCategory",
    /** Gives a category a name. With `ifNoneMatch: "*"`, only if it has none. */
    put: "putCategory",
    /** Removes the name; the animals of the category stay as they are. */
    delete: "deleteCategory",
  },
  events: {
    /** The events until now. `next` of the last page is where to continue later, unless the newest come first. */
    list: "listEvents",
  },
  keys: {
    list: "listKeys",
    /** The key itself is in the result, and cannot be read again. */
    create: "createKey",
    /** The key that this client uses. */
    current: "getCurrentKey",
    get: "getKey",
    /** Gives a key a successor, which is in the result; the old key keeps working for a while. */
    rotate: "rotateKey",
    revoke: "revokeKey",
  },
  webhooks: {
    list: "listWebhooks",
    /** The secret is in the result, and cannot be read again. */
    create: "createWebhook",
    get: "getWebhook",
    /** Changes the given fields. */
    update: "updateWebhook",
    delete: "deleteWebhook",
    /** Creates a new secret, which is in the result; for a while, events are signed with the old one as well. */
    rotateSecret: "rotateWebhookSecret",
    /** Sends a test event, and returns the outcome of its delivery. */
    test: "testWebhook",
    /** The latest attempts to deliver an event, the newest first. */
    deliveries: "listWebhookDeliveries",
    retryDelivery: "retryWebhookDelivery",
    /** Sends the events since a position in the event log once more. */
    replay: "replayWebhook",
  },
} as const satisfies Record<string, Record<string, OperationId>>;
