import { exampleWebhook, Webhook } from "../../webhooks/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const webhookDisabled = eventKind({
  type: "webhook.disabled",
  subject: "webhooks",
  summary: "A webhook was disabled",
  description: "A webhook was disabled: by a request, or because it could not go on, as its `disabledReason` says.",
  scope: "admin",
  data: Webhook,
  changes: ["status", "disabledReason"],
  example: {
    data: { ...exampleWebhook, status: "disabled", disabledReason: "failures" },
    previous: { status: "enabled", disabledReason: null },
  },
});
