import type { Event } from "../../../packages/client/src/index.ts";
import type { IconName } from "../parts/icons.tsx";

export interface EventKind {
  readonly title: string;
  readonly icon: IconName;
  /** The event types and the verbs that describe them. */
  readonly types: Readonly<Partial<Record<Event["type"], string>>>;
  readonly isForAdmins?: boolean;
}

const petEvents = { "pet.created": "added", "pet.updated": "changed", "pet.deleted": "deleted" };
const orderEvents = { "order.placed": "placed", "order.completed": "completed", "order.cancelled": "cancelled" };
const categoryEvents = { "category.named": "named", "category.unnamed": "unnamed" };
const keyEvents = { "key.created": "created", "key.rotated": "rotated", "key.revoked": "revoked" };

export const eventKinds: readonly EventKind[] = [
  { title: "animals", icon: "animals", types: petEvents },
  { title: "orders", icon: "orders", types: orderEvents },
  { title: "categories", icon: "categories", types: categoryEvents },
  { title: "keys", icon: "keys", types: keyEvents, isForAdmins: true },
  { title: "webhooks", icon: "webhooks", types: { "webhook.disabled": "disabled" }, isForAdmins: true },
];
