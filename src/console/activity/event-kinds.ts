import type { Event } from "../../../packages/client/src/index.ts";
import type { IconName } from "../parts/icons.tsx";

export interface EventKind {
  readonly title: string;
  readonly icon: IconName;
  readonly types: Readonly<Partial<Record<Event["type"], string>>>;
  readonly isForAdmins?: boolean;
}

export const eventKinds: readonly EventKind[] = [
  {
    title: "animals",
    icon: "animals",
    types: { "pet.created": "added", "pet.updated": "changed", "pet.deleted": "deleted" },
  },
  {
    title: "orders",
    icon: "orders",
    types: { "order.placed": "placed", "order.completed": "completed", "order.cancelled": "cancelled" },
  },
  {
    title: "categories",
    icon: "categories",
    types: { "category.named": "named", "category.unnamed": "lost its name" },
  },
  {
    title: "keys",
    icon: "keys",
    types: { "key.created": "created", "key.rotated": "rotated", "key.revoked": "revoked" },
    isForAdmins: true,
  },
  { title: "webhooks", icon: "webhooks", types: { "webhook.disabled": "disabled" }, isForAdmins: true },
];
