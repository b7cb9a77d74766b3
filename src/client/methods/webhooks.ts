import type { Call } from "../call.ts";
import type { List } from "../list.ts";
import { verifyWebhook } from "../webhook.ts";
import { type Body, Methods, type Options, type Path, type Query } from "./methods.ts";

export class Webhooks extends Methods {
  /** Checks that a webhook comes from the store, and returns its event. Throws WebhookVerificationError. */
  readonly verify = verifyWebhook;

  list(query: Query<"listWebhooks"> = {}, options?: Options<"listWebhooks">): List<"listWebhooks"> {
    return this.listOf("listWebhooks", query, options);
  }

  /** The secret is in the result, and cannot be read again. */
  create(webhook: Body<"createWebhook">, options?: Options<"createWebhook">): Call<"createWebhook"> {
    return this.call("createWebhook", { body: webhook }, options);
  }

  get(webhookId: Path<"getWebhook", "webhookId">, options?: Options<"getWebhook">): Call<"getWebhook"> {
    return this.call("getWebhook", { path: { webhookId } }, options);
  }

  /** Changes the fields that are given. */
  update(
    webhookId: Path<"updateWebhook", "webhookId">,
    changes: Body<"updateWebhook">,
    options?: Options<"updateWebhook">,
  ): Call<"updateWebhook"> {
    return this.call("updateWebhook", { path: { webhookId }, body: changes }, options);
  }

  delete(webhookId: Path<"deleteWebhook", "webhookId">, options?: Options<"deleteWebhook">): Call<"deleteWebhook"> {
    return this.call("deleteWebhook", { path: { webhookId } }, options);
  }

  /** Gives it a new secret, which is in the result; for a while, events are signed with the old one as well. */
  rotateSecret(
    webhookId: Path<"rotateWebhookSecret", "webhookId">,
    rotation?: Body<"rotateWebhookSecret">,
    options?: Options<"rotateWebhookSecret">,
  ): Call<"rotateWebhookSecret"> {
    return this.call("rotateWebhookSecret", { path: { webhookId }, body: rotation }, options);
  }

  /** Sends a test event, and returns what came of it. */
  test(webhookId: Path<"testWebhook", "webhookId">, options?: Options<"testWebhook">): Call<"testWebhook"> {
    return this.call("testWebhook", { path: { webhookId } }, options);
  }

  /** The latest attempts to deliver an event, the newest first. */
  deliveries(
    webhookId: Path<"listWebhookDeliveries", "webhookId">,
    query: Query<"listWebhookDeliveries"> = {},
    options?: Options<"listWebhookDeliveries">,
  ): Call<"listWebhookDeliveries"> {
    return this.call("listWebhookDeliveries", { path: { webhookId }, query }, options);
  }

  retryDelivery(
    webhookId: Path<"retryWebhookDelivery", "webhookId">,
    deliveryId: Path<"retryWebhookDelivery", "deliveryId">,
    options?: Options<"retryWebhookDelivery">,
  ): Call<"retryWebhookDelivery"> {
    return this.call("retryWebhookDelivery", { path: { webhookId, deliveryId } }, options);
  }

  /** Sends what has happened since a place in the log of events once more. */
  replay(
    webhookId: Path<"replayWebhook", "webhookId">,
    replay: Body<"replayWebhook">,
    options?: Options<"replayWebhook">,
  ): Call<"replayWebhook"> {
    return this.call("replayWebhook", { path: { webhookId }, body: replay }, options);
  }
}
