import type { Int64 } from "../../base/int64.ts";
import { presentWebhook } from "../../domain/webhook.ts";
import type { Context } from "../operation.ts";

export const current = {
  read: ({ params: { webhookId } }: { params: { webhookId: Int64 } }, { store }: Context) =>
    store.webhooks.get(webhookId),
  show: presentWebhook,
};
