import type { EventType } from "../../domain/event.ts";
import type { EventKind } from "./event-kind.ts";
import { categoryNamed } from "./types/category-named.ts";
import { categoryUnnamed } from "./types/category-unnamed.ts";
import { keyCreated } from "./types/key-created.ts";
import { keyRevoked } from "./types/key-revoked.ts";
import { keyRotated } from "./types/key-rotated.ts";
import { orderCancelled } from "./types/order-cancelled.ts";
import { orderCompleted } from "./types/order-completed.ts";
import { orderPlaced } from "./types/order-placed.ts";
import { petCreated } from "./types/pet-created.ts";
import { petDeleted } from "./types/pet-deleted.ts";
import { petUpdated } from "./types/pet-updated.ts";
import { webhookDisabled } from "./types/webhook-disabled.ts";

/** Everything that can happen, in the order of the document. */
export const eventKinds: readonly EventKind[] = [
  petCreated,
  petUpdated,
  petDeleted,
  orderPlaced,
  orderCompleted,
  orderCancelled,
  categoryNamed,
  categoryUnnamed,
  keyCreated,
  keyRotated,
  keyRevoked,
  webhookDisabled,
];

/** The types that only an admin is shown. */
export const restrictedTypes: ReadonlySet<EventType> = new Set(
  eventKinds.filter(({ scope }) => scope === "admin").map(({ type }) => type),
);
