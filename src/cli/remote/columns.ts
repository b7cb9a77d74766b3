import type { Order } from "../../domain/order.ts";
import { type Pet, petStatuses } from "../../domain/pet.ts";
import type { Style } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";

const id: Column = { title: "ID", field: "id" };
const name: Column = { title: "NAME", field: "name", isFlexible: true };
const type: Column = { title: "TYPE", field: "type" };
const subject: Column = { title: "SUBJECT", field: "subject" };

export const petColumns: readonly Column[] = Object.values({
  id,
  name,
  categoryId: { title: "CATEGORY", field: "categoryId" },
  status: status("STATUS", "status"),
} satisfies Record<keyof Pet, Column>);

export const orderColumns: readonly Column[] = Object.values({
  id,
  petId: { title: "ANIMAL", field: "petId" },
  status: status("STATUS", "status"),
  createdAt: time("PLACED (UTC)", "createdAt"),
  updatedAt: time("CHANGED (UTC)", "updatedAt"),
} satisfies Record<keyof Order, Column>);

export const categoryColumns = [id, name];

export const inventoryColumns = petStatuses.map((field): Column => ({ title: field.toUpperCase(), field }));

export const eventColumns: readonly Column[] = [
  time("TIME (UTC)", "timestamp"),
  type,
  subject,
  { title: "BY", field: "actor", format: (actor) => (actor as { name: string }).name, isFlexible: true },
];

export const keyColumns: readonly Column[] = [
  id,
  name,
  { title: "SCOPE", field: "scope" },
  status("STATE", "state"),
  time("CREATED (UTC)", "createdAt"),
  time("LAST USED (UTC)", "lastUsedAt"),
  time("EXPIRES (UTC)", "expiresAt"),
];

export const webhookColumns: readonly Column[] = [
  id,
  { title: "URL", field: "url", isFlexible: true },
  { title: "TYPES", field: "types", format: (types) => (types as string[]).join(",") || "all", isFlexible: true },
  status("STATUS", "status"),
  { title: "DISABLED BY", field: "disabledReason" },
  time("FAILING SINCE (UTC)", "failingSince"),
];

export const webhookDetails: readonly Column[] = [
  ...webhookColumns,
  { title: "DESCRIPTION", field: "description" },
  time("OLD SECRET UNTIL (UTC)", "oldSecretExpiresAt"),
  time("CREATED (UTC)", "createdAt"),
  time("CHANGED (UTC)", "updatedAt"),
];

export const deliveryColumns: readonly Column[] = [
  id,
  time("TIME (UTC)", "at"),
  type,
  subject,
  { title: "ATTEMPT", field: "attempt" },
  status("OUTCOME", "outcome"),
  { title: "STATUS", field: "responseStatus" },
  { title: "MS", field: "durationMs" },
  { title: "ERROR", field: "error", isFlexible: true },
];

function status(title: string, field: string): Column {
  return { title, field, style: (value) => styles.find(([, values]) => values.includes(String(value)))?.[0] };
}

const styles: readonly (readonly [style: Style, values: readonly string[]])[] = [
  ["green", ["available", "completed", "enabled", "delivered", "active"]],
  ["yellow", ["pending", "placed", "retiring"]],
  ["red", ["disabled", "failed"]],
  ["dim", ["sold", "cancelled", "expired", "revoked"]],
];

function time(title: string, field: string): Column {
  return { title, field, format: (value) => (typeof value === "string" ? formatTime(value) : "-") };
}

export function formatTime(text: string): string {
  return text.replace("T", " ").slice(0, "2026-11-15 10:00:00".length);
}
