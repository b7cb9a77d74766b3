import type { Int64 } from "../base/int64.ts";
import { categoryFields } from "../domain/category.ts";
import { newFields } from "../domain/fields.ts";
import { keyFields } from "../domain/key.ts";
import { orderFields } from "../domain/order.ts";
import { type NewPet, petFields } from "../domain/pet.ts";
import { deliveryFields, webhookFields } from "../domain/webhook.ts";
import { resourceTable, type Table, tupleOf } from "./resource-table.ts";

export type Row = readonly (Int64 | string | Uint8Array | null)[];

export const petTable = resourceTable({
  name: "pets",
  title: "animals",
  fields: petFields,
  identity: ["id"],
  others: [["folded_name", "text"]],
});

export const orderTable = resourceTable({
  name: "orders",
  title: "orders",
  fields: orderFields,
  identity: ["id", "pet_id", "created_at"],
});

export const categoryTable = resourceTable({
  name: "categories",
  title: "categories",
  fields: categoryFields,
  identity: ["id", "name"],
  assignsIds: false,
  others: [["folded_name", "text"]],
});

export const keyTable = resourceTable({
  name: "keys",
  title: "keys",
  fields: keyFields,
  identity: ["id", "hash"],
  others: [
    ["hash", "bytes"],
    // The key family; null in its first key, whose id is the family's.
    ["line", "integer"],
  ],
  expressions: { family: "coalesce(line, id)" },
});

export const webhookTable = resourceTable({
  name: "webhooks",
  title: "webhooks",
  fields: webhookFields,
  identity: ["id", "created_at"],
  others: [
    ["secret", "text"],
    ["previous_secret", "text"],
    ["position", "integer"],
    ["event_id", "text"],
    ["revision", "integer"],
    ["lease_owner", "text"],
    ["lease_until", "integer"],
  ],
});

export const deliveryTable = resourceTable({
  name: "webhook_deliveries",
  title: "deliveries",
  fields: deliveryFields,
  identity: ["id"],
});

/** The idempotency records. */
export const recordTable: Table = {
  name: "claims",
  title: "repeatable requests",
  identity: ["name", "fingerprint"],
  assignsIds: false,
  columns: [
    ["name", "bytes"],
    ["fingerprint", "bytes"],
    ["conclusion", "text"],
    ["created_at", "integer"],
    ["line", "integer"],
  ],
};

export const tables: readonly Table[] = [
  petTable,
  orderTable,
  categoryTable,
  keyTable,
  recordTable,
  {
    name: "events",
    title: "events",
    identity: ["position", "id"],
    assignsIds: false,
    columns: [
      ["position", "integer"],
      ["id", "text"],
      ["type", "text"],
      ["subject", "text"],
      ["at", "integer"],
      ["body", "text"],
    ],
  },
  webhookTable,
  {
    name: "webhook_parked",
    title: "parked events",
    identity: ["id", "webhook", "position"],
    assignsIds: true,
    columns: [
      ["id", "integer"],
      ["webhook", "integer"],
      ["position", "integer"],
      ["subject", "text"],
      ["attempts", "integer"],
      ["next_at", "integer"],
    ],
  },
];

/** The tables that are not copied, with the reason. */
export const derivedTables: Readonly<Record<"sqlite" | "postgres", Readonly<Record<string, string>>>> = {
  sqlite: {
    migrations: "what the schema of the file has been through",
    inventory: "kept by triggers on the animals",
    updates: "kept by triggers on the animals",
    webhook_deliveries: "what was tried lately, for people to look at",
  },
  postgres: {
    migrations: "what the schema of the database has been through",
    inventory_changes: "kept by triggers on the animals",
    webhook_deliveries: "what was tried lately, for people to look at",
    event_inbox: "moved into the events before these are copied",
    quota_uses: "over within hours, and worth nothing elsewhere",
    quota_windows: "of earlier programs",
  },
};

/** The columns that are not copied, with the reason. */
export const derivedColumns: Readonly<
  Record<"sqlite" | "postgres", Readonly<Record<string, Readonly<Record<string, string>>>>>
> = {
  sqlite: {},
  postgres: {
    events: { size: "a row may have several events, which are copied one by one" },
    pets: { folding: "a checksum of the name and its folded form" },
    categories: { folding: "a checksum of the name and its folded form" },
  },
};

export function keyColumnOf({ columns }: Table): string {
  return columns[0]?.[0] ?? "";
}

export function columnNames({ columns }: Table): string[] {
  return columns.map(([name]) => name);
}

/** Returns the end of an INSERT statement that overwrites the row with the same key. */
export function upsertClause(table: Table): string {
  const [key, ...others] = columnNames(table);
  return `ON CONFLICT (${key}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}

export const newPetTuple = tupleOf<NewPet>(newFields(petFields));
