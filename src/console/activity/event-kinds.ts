import type { Event } from "../../../packages/client/src/index.ts";
import type { IconName } from "../parts/icons.tsx";

export interface EventKind {
  readonly title: IconName;
  /** The event types and the verbs that describe them. */
  readonly types: Readonly<Partial<Record<Event["type"], string>>>;
  readonly isForAdmins?: boolean;
}

export const eventKinds: readonly EventKind[] = [
  { title: "animals", types: { "pet.created": "added", "pet.updated": "changed", "pet.deleted": "deleted" } },
  {
    title: "orders",
    types: { "order.placed": "placed", "order.completed": "completed", "order.cancelled": "cancelled" },
  },
  { title: "categories", types: { "category.named": "named", "category.unnamed": "unnamed" } },
  {
    title: "keys",
    types: { "key.created": "created", "key.rotated": "rotated", "key.revoked": "revoked" },
    isForAdmins: true,
  },
  { title: "webhooks", types: { "webhook.disabled": "disabled" }, isForAdmins: true },
];
