import type { Int64 } from "../base/int64.ts";
import { categoryFields } from "../domain/category.ts";
import { selectNewFields } from "../domain/fields.ts";
import { keyFields } from "../domain/key.ts";
import { orderFields } from "../domain/order.ts";
import { type NewPet, petFields } from "../domain/pet.ts";
import { deliveryFields, webhookFields } from "../domain/webhook.ts";
import { createTupleFormat, defineResourceTable, type Table } from "./resource-table.ts";

export type Row = readonly (Int64 | string | Uint8Array | null)[];

export const petTable = defineResourceTable({
  name: "pets",
  title: "animals",
  fields: petFields,
  identity: ["id"],
  otherColumns: { folded_name: "text" },
});

export const orderTable = defineResourceTable({
  name: "orders",
  title: "orders",
  fields: orderFields,
  identity: ["id", "pet_id", "created_at"],
});

export const categoryTable = defineResourceTable({
  name: "categories",
  title: "categories",
  fields: categoryFields,
  identity: ["id", "name"],
  assignsIds: false,
  otherColumns: { folded_name: "text" },
});

export const keyTable = defineResourceTable({
  name: "keys",
  title: "keys",
  fields: keyFields,
  identity: ["id", "hash"],
  // `line` is the key family: the id of the family's first key, and null in that key itself.
  otherColumns: { hash: "bytes", line: "integer" },
  expressions: { family: "coalesce(line, id)" },
});

export const webhookTable = defineResourceTable({
  name: "webhooks",
  title: "webhooks",
  fields: webhookFields,
  identity: ["id", "created_at"],
  otherColumns: {
    secret: "text",
    previous_secret: "text",
    position: "integer",
    event_id: "text",
    revision: "integer",
    lease_owner: "text",
    lease_until: "integer",
  },
});

export const deliveryTable = defineResourceTable({
  name: "webhook_deliveries",
  title: "deliveries",
  fields: deliveryFields,
  identity: ["id"],
});

/** Idempotency records: `conclusion` is the stored outcome, and `line` the key family. */
export const recordTable: Table = {
  name: "claims",
  title: "repeatable requests",
  identity: ["name", "fingerprint"],
  assignsIds: false,
  columns: Object.entries({
    name: "bytes",
    fingerprint: "bytes",
    conclusion: "text",
    created_at: "integer",
    line: "integer",
  }),
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
    columns: Object.entries({
      position: "integer",
      id: "text",
      type: "text",
      subject: "text",
      at: "integer",
      body: "text",
    }),
  },
  webhookTable,
  {
    name: "webhook_parked",
    title: "parked events",
    identity: ["id", "webhook", "position"],
    assignsIds: true,
    columns: Object.entries({
      id: "integer",
      webhook: "integer",
      position: "integer",
      subject: "text",
      attempts: "integer",
      next_at: "integer",
    }),
  },
];

export function keyColumnOf({ columns }: Table): string {
  return columns[0]?.[0] ?? "";
}

export function columnNames({ columns }: Table): string[] {
  return columns.map(([name]) => name);
}

export function upsertClause(table: Table): string {
  const [key, ...others] = columnNames(table);
  return `ON CONFLICT (${key}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}

export const newPetTuple = createTupleFormat<NewPet>(selectNewFields(petFields));
