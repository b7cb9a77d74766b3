import type { LoggedEvent } from "../domain/event.ts";
import type { NewDelivery, ParkedEvent } from "../domain/webhook.ts";
import type { LogMark, WebhookProgress } from "../store/store.ts";
import type { Attempt } from "./sender.ts";

/** What has yet to be saved. */
export interface News {
  reached: LogMark | undefined;
  readonly parked: Map<number, ParkedEvent>;
  readonly unparked: Set<number>;
  readonly deliveries: NewDelivery[];
  disabled: WebhookProgress["disabled"];
}

export function noNews(): News {
  return { reached: undefined, parked: new Map(), unparked: new Set(), deliveries: [], disabled: undefined };
}

/** What could not be saved, together with what has happened since. */
export function merged(old: News, { reached, parked, unparked, deliveries, disabled }: News): News {
  for (const position of unparked) old.parked.delete(position);
  for (const position of parked.keys()) old.unparked.delete(position);
  return {
    reached: reached ?? old.reached,
    parked: new Map([...old.parked, ...parked]),
    unparked: new Set([...old.unparked, ...unparked]),
    deliveries: [...old.deliveries, ...deliveries].slice(-mostUnsavedDeliveries),
    disabled: disabled ?? old.disabled,
  };
}

const mostUnsavedDeliveries = 1_000;

export function progressOf({ reached, parked, unparked, deliveries, disabled }: News, failingSince: number | null) {
  return { reached, parked: [...parked.values()], unparked: [...unparked], deliveries, failingSince, disabled };
}

export function deliveryOf(
  { position, id, type, subject }: LoggedEvent,
  attempt: number,
  at: number,
  { isDelivered, status, error, durationMs }: Attempt,
  nextAt: number | null,
): NewDelivery {
  const outcome = isDelivered ? "delivered" : "failed";
  return { position, eventId: id, type, subject, attempt, at, outcome, status, error, durationMs, nextAt };
}
