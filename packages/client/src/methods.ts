import type { OperationId } from "./call.ts";

/** The methods of the client that only call an operation, by group and name. */
export const methods = {
  pets: {
    /** Lists the animals that match the filters, ascending by id unless `sort` or `name` says otherwise. */
    list: "listPets",
    create: "createPet",
    /** @deprecated It works until 2030-12-05. Use `find` instead. */
    get: "getPet",
    /** Changes the given fields. With `ifMatch`, the call fails if the animal has changed since you read it. */
    update: "updatePet",
    delete: "deletePet",
  },
  orders: {
    list: "listOrders",
    /** Orders an available animal, which becomes pending. */
    place: "placeOrder",
    get: "getOrder",
    /** Completes the order; its animal becomes sold. */
    complete: "completeOrder",
    /** Cancels the order; its animal becomes available again. */
    cancel: "cancelOrder",
  },
  categories: {
    list: "listCategories",
    get: "getCategory",
    /** Gives a category a name. With `ifNoneMatch: "*"`, the call fails if the category already has a name. */
    put: "putCategory",
    /** Removes the name; the animals of the category do not change. */
    delete: "deleteCategory",
  },
  events: {
    /** Lists the past events. To continue later, use `next` of the last page as `cursor`, unless the newest events come first. */
    list: "listEvents",
  },
  keys: {
    list: "listKeys",
    /** Creates a key. The key itself is in the result, and cannot be read again. */
    create: "createKey",
    current: "getCurrentKey",
    get: "getKey",
    /** Gives a key a successor, which is in the result; the old key keeps working for a while. */
    rotate: "rotateKey",
    revoke: "revokeKey",
  },
  webhooks: {
    list: "listWebhooks",
    /** Creates a webhook. Its secret is in the result, and cannot be read again. */
    create: "createWebhook",
    get: "getWebhook",
    update: "updateWebhook",
    delete: "deleteWebhook",
    /** Creates a new secret, which is in the result; for a while, events are signed with the old one as well. */
    rotateSecret: "rotateWebhookSecret",
    /** Sends a test event, and returns the outcome of its delivery. */
    test: "testWebhook",
    deliveries: "listWebhookDeliveries",
    retryDelivery: "retryWebhookDelivery",
    /** Sends the events since a position in the event log again. */
    replay: "replayWebhook",
  },
} as const satisfies Record<string, Record<string, OperationId>>;
