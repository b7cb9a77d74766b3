import { categoryOperations, categorySchemas } from "./categories.ts";
import { ErrorBody, ProblemBody } from "./errors.ts";
import { eventSchemas, listEvents } from "./events/list-events.ts";
import { keyOperations, keySchemas } from "./keys.ts";
import type { Operation } from "./operation.ts";
import { storeOperations, storeSchemas } from "./orders-and-inventory.ts";
import { petOperations, petSchemas } from "./pets.ts";
import type { JsonSchema } from "./schema.ts";
import { deliveryOperations, deliverySchemas } from "./webhook-deliveries.ts";
import { webhookOperations, webhookSchemas } from "./webhooks.ts";

/** The whole API, in the order of its document. */
export const operations: readonly Operation[] = [
  ...petOperations,
  ...storeOperations,
  ...categoryOperations,
  listEvents,
  ...keyOperations,
  ...webhookOperations,
  ...deliveryOperations,
];

/** The schemas that have a name in the document. */
export const schemas: readonly JsonSchema[] = [
  ...petSchemas,
  ...storeSchemas,
  ...categorySchemas,
  ...eventSchemas,
  ...keySchemas,
  ...webhookSchemas,
  ...deliverySchemas,
  ErrorBody,
  ProblemBody,
];
