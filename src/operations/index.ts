import { deleteCategory } from "./categories/delete-category.ts";
import { getCategory } from "./categories/get-category.ts";
import { listCategories } from "./categories/list-categories.ts";
import { putCategory } from "./categories/put-category.ts";
import { categorySchemas } from "./categories/schemas.ts";
import { ErrorBody, ProblemBody } from "./errors.ts";
import { eventSchemas, listEvents } from "./events/list-events.ts";
import { getInventory, Inventory } from "./inventory/get-inventory.ts";
import { createKey } from "./keys/create-key.ts";
import { getCurrentKey } from "./keys/get-current-key.ts";
import { getKey } from "./keys/get-key.ts";
import { listKeys } from "./keys/list-keys.ts";
import { revokeKey } from "./keys/revoke-key.ts";
import { rotateKey } from "./keys/rotate-key.ts";
import { keySchemas } from "./keys/schemas.ts";
import type { Operation } from "./operation.ts";
import { cancelOrder } from "./orders/cancel-order.ts";
import { completeOrder } from "./orders/complete-order.ts";
import { getOrder } from "./orders/get-order.ts";
import { listOrders } from "./orders/list-orders.ts";
import { placeOrder } from "./orders/place-order.ts";
import { orderSchemas } from "./orders/schemas.ts";
import { createPet } from "./pets/create-pet.ts";
import { createPets } from "./pets/create-pets.ts";
import { deletePet } from "./pets/delete-pet.ts";
import { exportPets } from "./pets/export-pets.ts";
import { getPet } from "./pets/get-pet.ts";
import { listPets } from "./pets/list-pets.ts";
import { petSchemas } from "./pets/schemas.ts";
import { updatePet } from "./pets/update-pet.ts";
import type { JsonSchema } from "./schema.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { getWebhook } from "./webhooks/get-webhook.ts";
import { listWebhookDeliveries } from "./webhooks/list-webhook-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayWebhook } from "./webhooks/replay-webhook.ts";
import { retryWebhookDelivery } from "./webhooks/retry-webhook-delivery.ts";
import { rotateWebhookSecret } from "./webhooks/rotate-webhook-secret.ts";
import { webhookSchemas } from "./webhooks/schemas.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";

/** All operations, in the order of the OpenAPI document. */
export const operations: readonly Operation[] = [
  [listPets, createPet, createPets, getPet, updatePet, deletePet, exportPets],
  [listOrders, placeOrder, getOrder, completeOrder, cancelOrder, getInventory],
  [listCategories, getCategory, putCategory, deleteCategory],
  [listEvents],
  [listKeys, createKey, getCurrentKey, getKey, rotateKey, revokeKey],
  [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret],
  [testWebhook, listWebhookDeliveries, retryWebhookDelivery, replayWebhook],
].flat();

/** All named schemas, in the order of the OpenAPI document. */
export const schemas: readonly JsonSchema[] = [
  [...petSchemas, ...orderSchemas, Inventory, ...categorySchemas, ...eventSchemas],
  [...keySchemas, ...webhookSchemas, ErrorBody, ProblemBody],
].flat();
