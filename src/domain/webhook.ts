import { timeOfChange } from "../base/clock.ts";
import { formatTime } from "../base/format-time.ts";
import type { Int64 } from "../base/int64.ts";
import { notFound, ServiceError } from "./errors.ts";
import { type Expectation, requireExpected } from "./expectation.ts";
import { type ChangesOf, createPresenter, type ResourceFields, type ValuesOf, withChanges } from "./fields.ts";

export const webhookStatuses = ["enabled", "disabled"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const disabledReasons = ["request", "gone", "failures", "retention", "history"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryOutcomes = ["pending", "delivered", "failed"] as const;

export const webhookFields = {
  id: { kind: "id" },
  url: { kind: "text", set: "always" },
  /** The types of events to send, separated by commas; empty for all. */
  types: { kind: "text", set: "always" },
  description: { kind: "text", maxLength: 255, isOptional: true, set: "always" },
  status: { kind: "choice", of: webhookStatuses, set: "always" },
  disabledReason: { kind: "choice", of: disabledReasons, isOptional: true },
  /** The time since which every attempt has failed; null after a success. */
  failingSince: { kind: "time", isOptional: true },
  /** The end of the overlap, during which the previous secret signs as well. */
  retiresAt: { kind: "time", isOptional: true },
  createdAt: { kind: "time" },
  updatedAt: { kind: "time" },
} as const satisfies ResourceFields;

export type Webhook = ValuesOf<typeof webhookFields>;
export type NewWebhook = Pick<Webhook, "url" | "types" | "description" | "createdAt">;
export type WebhookChanges = ChangesOf<typeof webhookFields>;

/** An event that waits for a retry, or for an earlier event of the same subject. */
export interface ParkedEvent {
  readonly position: number;
  readonly subject: string;
  readonly attempts: number;
  readonly nextAt: number;
}

export const deliveryFields = {
  id: { kind: "id" },
  webhook: { kind: "id" },
  /** The position of the event in the event log; null for a test, which is not logged. */
  position: { kind: "number", isOptional: true },
  eventId: { kind: "text" },
  type: { kind: "text" },
  subject: { kind: "text" },
  attempt: { kind: "number" },
  at: { kind: "time" },
  outcome: { kind: "choice", of: deliveryOutcomes },
  status: { kind: "number", isOptional: true },
  error: { kind: "text", isOptional: true },
  durationMs: { kind: "number", isOptional: true },
  nextAt: { kind: "time", isOptional: true },
} as const satisfies ResourceFields;

export type Delivery = ValuesOf<typeof deliveryFields>;
export type NewDelivery = Omit<Delivery, "id" | "webhook">;

export function presentWebhook(webhook: Webhook) {
  const { id, url, types, retiresAt, createdAt, updatedAt, ...others } = present(webhook);
  return {
    id,
    url,
    types: types === "" ? [] : types.split(","),
    ...others,
    oldSecretExpiresAt: retiresAt,
    createdAt,
    updatedAt,
  };
}

const present = createPresenter(webhookFields);

export function presentDelivery(delivery: Delivery) {
  const { webhook: _webhook, position: _position, ...shown } = presentTimes(delivery);
  const { status, error, durationMs, nextAt, ...attempt } = shown;
  return { ...attempt, responseStatus: status, error, durationMs, nextAttemptAt: nextAt };
}

const presentTimes = createPresenter(deliveryFields);

export function changeWebhook(webhook: Webhook, { status, ...changes }: WebhookChanges, at: number): Webhook {
  const changed = { ...withChanges(webhook, changes), updatedAt: timeOfChange(at, webhook.createdAt) };
  if (status === undefined || status === webhook.status) return changed;
  if (status === "disabled") return disableWebhook(changed, "request", at);
  return { ...changed, status, disabledReason: null, failingSince: null };
}

export function disableWebhook(webhook: Webhook, disabledReason: DisabledReason, at: number): Webhook {
  return { ...webhook, status: "disabled", disabledReason, updatedAt: timeOfChange(at, webhook.createdAt) };
}

export function requireWebhook<Found extends Webhook>(
  webhook: Found | undefined,
  id: Int64,
  expected?: Expectation<Webhook>,
): Found {
  if (!webhook) throw notFound("webhook", id);
  requireExpected<Webhook>(webhook, expected);
  return webhook;
}

export function requireLoggedDelivery(
  delivery: Delivery | undefined,
  id: Int64,
): Delivery & { readonly position: number } {
  if (!delivery) throw new ServiceError("NotFound", `The webhook has no recent delivery with the id ${id}.`);
  if (delivery.position !== null) return { ...delivery, position: delivery.position };
  throw new ServiceError("Conflict", `Delivery ${id} was a test, which cannot be retried. Send another test.`);
}

/** Refuses to retry an event that is no longer in the event log, because the retry would disable the webhook. */
export function requireLoggedEvent({ eventId }: Pick<Delivery, "eventId">, loggedEventId: string | undefined): void {
  if (loggedEventId === eventId) return;
  throw new ServiceError("Gone", "The event of this delivery is no longer kept, so it cannot be sent again.");
}

export function createTestDelivery(webhookId: Int64, eventId: string, at: number): NewDelivery {
  return {
    position: null,
    eventId,
    type: testEventType,
    subject: `webhooks/${webhookId}`,
    attempt: 1,
    at,
    outcome: "pending",
    status: null,
    error: null,
    durationMs: null,
    nextAt: null,
  };
}

export function createTestEventBody(webhook: Webhook, { eventId, subject, at }: NewDelivery): string {
  return JSON.stringify({
    id: eventId,
    type: testEventType,
    timestamp: formatTime(at),
    subject,
    actor: { id: null, name: "operator" },
    request: null,
    data: presentWebhook(webhook),
    previous: null,
  });
}

export const testEventType = "webhook.test";

/** Returns the error for a repeated request that was sent with another API key of the same family. */
export function secretAlreadyShown(id: number): ServiceError {
  const message = `The secret of webhook ${id} was already created by this request, and is shown only to the key that requested it. Send the request with that key, or rotate the secret with a new Idempotency-Key.`;
  return new ServiceError("UnprocessableContent", message);
}

/** Returns a secret in the format of Standard Webhooks: `whsec_` and 32 random bytes. */
export function generateWebhookSecret(): string {
  return secretPrefix + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
}

export const secretPrefix = "whsec_";

/** Limited, because every event may be sent to each webhook. */
export const maxWebhooks = 100;

export function requireRoomForWebhook(count: number): void {
  if (count < maxWebhooks) return;
  throw new ServiceError("Conflict", `There are ${maxWebhooks} webhooks already. Delete one that is no longer needed.`);
}

/** Leases that a process takes at a time; limited, so that processes that start together share the webhooks. */
export const maxNewLeases = 8;
