import { eventTypes } from "../../domain/event.ts";
import { decodeEventCursor } from "../../domain/event-cursor.ts";
import { namePatterns } from "../../domain/name.ts";
import { deliveryOutcomes, disabledReasons, webhookStatuses } from "../../domain/webhook.ts";
import {
  choiceField,
  closedSchema,
  idField,
  int64Field,
  objectSchema,
  optionalTimeField,
  overlapField,
  pageSchema,
  timeField,
} from "../fields.ts";
import { acceptsText, expects, whenAbsent } from "../schema.ts";

export const url = {
  type: "string",
  minLength: 9,
  maxLength: 2_048,
  pattern: "^https?://[!-~]+$",
  description:
    "The URL to which events are sent by `POST`. It must be `https` and lead to public addresses, unless the operator allows others.",
  [expects]: "a URL of at most 2048 ASCII characters such as https://shop.example/hooks",
} as const;

export const types = {
  type: "array",
  maxItems: 100,
  uniqueItems: true,
  items: { type: "string", enum: eventTypes },
  description: "The types of events to send. Empty for all types, including future ones.",
  [expects]: `an array of some of ${eventTypes.join(", ")}, each at most once`,
} as const;

export const description = {
  type: ["string", "null"],
  minLength: 1,
  maxLength: 255,
  pattern: namePatterns.allowed,
  description: "The purpose of the webhook.",
  [expects]: "null, or a string of 1 to 255 characters, none of them a control character",
} as const;

export const WebhookStatus = {
  $id: "WebhookStatus",
  ...choiceField(webhookStatuses, "While a webhook is `disabled`, its events wait for as long as the log keeps them."),
} as const;

export const NewWebhook = closedSchema(
  "NewWebhook",
  "A webhook to create.",
  { url, types: { ...types, [whenAbsent]: [] }, description: { ...description, [whenAbsent]: null } },
  "url",
);

export const WebhookPatch = closedSchema(
  "WebhookPatch",
  "The fields of a webhook to change (RFC 7396). Omitted fields stay as they are.",
  { url, types, description, status: WebhookStatus },
);

export const WebhookRotation = closedSchema("WebhookRotation", "The settings for rotating the secret of a webhook.", {
  overlapSeconds: overlapField("The time for which the old secret signs events as well."),
});

const replayStart = {
  type: "string",
  pattern: "^[!-~]{1,100}$",
  description:
    "`beginning` sends everything that the log still has, `end` nothing that has happened so far, and a cursor of the list of events everything after it.",
  [expects]: "beginning, end, or a cursor of the list of events",
  [acceptsText]: (text: string) => text === "beginning" || text === "end" || decodeEventCursor(text) !== undefined,
} as const;

export const WebhookReplay = closedSchema(
  "WebhookReplay",
  "The position from which to send events again.",
  { from: replayStart },
  "from",
);

const fields = {
  id: idField("Identifier of the webhook."),
  url,
  types: { type: "array", maxItems: 100, items: { type: "string" }, description: types.description },
  description,
  status: WebhookStatus,
  disabledReason: {
    type: ["string", "null"],
    enum: [...disabledReasons, null],
    description:
      "The reason why the webhook is disabled: `request` if a client disabled it, `gone` if the receiver responded with 410, `failures` if every attempt failed for 5 days, `retention` if events that the receiver had not received were removed from the log, `history` if the log was replaced by another one. Null if the webhook is enabled.",
  },
  failingSince: optionalTimeField("Every attempt since this time has failed. The `ETag` does not depend on it."),
  oldSecretExpiresAt: optionalTimeField("The end of the overlap after a rotation; null if there was none."),
  createdAt: timeField("When the webhook was created."),
  updatedAt: timeField("When the webhook was last changed."),
} as const;

export const Webhook = objectSchema("Webhook", "A receiver of events, without its secret.", fields);

export const CreatedWebhook = objectSchema("CreatedWebhook", "A webhook with a new secret, which is shown only once.", {
  ...fields,
  secret: { type: "string", description: "The secret that signs events. It cannot be shown again." },
});

export const Webhooks = pageSchema("Webhooks", "A page of webhooks, ascending by `id`.", Webhook);

export const exampleWebhook = {
  id: 1,
  url: "https://hooks.shop.example/animals",
  types: ["pet.created", "pet.updated", "pet.deleted"],
  description: "keeps the window up to date",
  status: "enabled",
  disabledReason: null,
  failingSince: null,
  oldSecretExpiresAt: null,
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z",
} as const;

export const exampleCreatedWebhook = { ...exampleWebhook, secret: "whsec_..." } as const;

export const webhookIdParam = { webhookId: int64Field("Identifier of the webhook.") } as const;

export const WebhookDelivery = objectSchema("WebhookDelivery", "An attempt to deliver an event.", {
  id: idField("Identifier of the delivery."),
  eventId: { type: "string", description: "Identifier of the event, which the receiver gets as `webhook-id`." },
  type: { type: "string", description: "Type of the event; `webhook.test` for a test." },
  subject: { type: "string", description: "The subject of the event." },
  attempt: { type: "integer", minimum: 1, description: "The number of the attempt, from 1." },
  at: timeField("When the attempt began."),
  outcome: choiceField(deliveryOutcomes, "`pending` until the attempt has ended; `delivered` for 200 to 299."),
  responseStatus: { type: ["integer", "null"], description: "The HTTP status code; null if there was no response." },
  error: { type: ["string", "null"], description: "The reason for the failure; null if there was none." },
  durationMs: { type: ["integer", "null"], minimum: 0, description: "Null until the attempt has ended." },
  nextAttemptAt: optionalTimeField("When the event is sent again; null if it is not."),
});

export const WebhookDeliveries = pageSchema("WebhookDeliveries", "The latest attempts, newest first.", WebhookDelivery);

export const exampleDelivery = {
  id: 1,
  eventId: "evt_1f0c5a3be2d94a0e8f3d6b7c81a2e4f5",
  type: "pet.created",
  subject: "pets/12",
  attempt: 1,
  at: "2026-11-15T10:00:00.000Z",
  outcome: "delivered",
  responseStatus: 204,
  error: null,
  durationMs: 31,
  nextAttemptAt: null,
} as const;

export const webhookSchemas = [
  WebhookStatus,
  NewWebhook,
  WebhookPatch,
  WebhookRotation,
  WebhookReplay,
  Webhook,
  CreatedWebhook,
  Webhooks,
  WebhookDelivery,
  WebhookDeliveries,
];
