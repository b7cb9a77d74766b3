import type { Int64 } from "../base/int64.ts";

export type ColumnType = "integer" | "text" | "bytes";

/** A table that holds something of its own. Both engines call it and its columns the same. */
export interface Table {
  readonly name: string;
  /** What people call its rows. */
  readonly title: string;
  /** The first column is the key. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** The columns by which a row is known for the same, whatever has become of it since. */
  readonly identity: readonly string[];
  /** Whether the store gives the keys, one after the other. */
  readonly givesIds: boolean;
}

/** The values of a row, in the order of the columns. */
export type Row = readonly (Int64 | string | Uint8Array | null)[];

export const tables: readonly Table[] = [
  {
    name: "pets",
    title: "animals",
    identity: ["id"],
    givesIds: true,
    columns: [
      ["id", "integer"],
      ["name", "text"],
      ["category_id", "integer"],
      ["status", "text"],
      ["folded_name", "text"],
    ],
  },
  {
    name: "orders",
    title: "orders",
    identity: ["id", "pet_id", "created_at"],
    givesIds: true,
    columns: [
      ["id", "integer"],
      ["pet_id", "integer"],
      ["status", "text"],
      ["created_at", "integer"],
      ["updated_at", "integer"],
    ],
  },
  {
    name: "categories",
    title: "categories",
    identity: ["id", "name"],
    givesIds: false,
    columns: [
      ["id", "integer"],
      ["name", "text"],
      ["folded_name", "text"],
    ],
  },
  {
    name: "keys",
    title: "keys",
    identity: ["id", "hash"],
    givesIds: true,
    columns: [
      ["id", "integer"],
      ["name", "text"],
      ["scope", "text"],
      ["hash", "bytes"],
      ["created_at", "integer"],
      ["expires_at", "integer"],
      ["revoked_at", "integer"],
      ["rotated_at", "integer"],
      ["last_used_at", "integer"],
      ["line", "integer"],
    ],
  },
  {
    name: "claims",
    title: "repeatable requests",
    identity: ["name", "fingerprint"],
    givesIds: false,
    columns: [
      ["name", "bytes"],
      ["fingerprint", "bytes"],
      ["conclusion", "text"],
      ["created_at", "integer"],
      ["line", "integer"],
    ],
  },
  {
    name: "events",
    title: "events",
    identity: ["position", "id"],
    givesIds: false,
    columns: [
      ["position", "integer"],
      ["id", "text"],
      ["type", "text"],
      ["subject", "text"],
      ["at", "integer"],
      ["body", "text"],
    ],
  },
  {
    name: "webhooks",
    title: "webhooks",
    identity: ["id", "created_at"],
    givesIds: true,
    columns: [
      ["id", "integer"],
      ["url", "text"],
      ["types", "text"],
      ["description", "text"],
      ["status", "text"],
      ["disabled_reason", "text"],
      ["failing_since", "integer"],
      ["secret", "text"],
      ["previous_secret", "text"],
      ["retires_at", "integer"],
      ["position", "integer"],
      ["event_id", "text"],
      ["revision", "integer"],
      ["lease_owner", "text"],
      ["lease_until", "integer"],
      ["created_at", "integer"],
      ["updated_at", "integer"],
    ],
  },
  {
    name: "webhook_parked",
    title: "parked events",
    identity: ["id", "webhook", "position"],
    givesIds: true,
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

/** The tables of each engine that are not copied, and why they need not be. */
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
    quota_windows: "over within hours, and worth nothing elsewhere",
  },
};

/** The columns of each engine that are not copied, by their tables, and why they need not be. */
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

export function keyOf({ columns }: Table): string {
  return columns[0]?.[0] ?? "";
}

export function columnNames({ columns }: Table): string[] {
  return columns.map(([name]) => name);
}

/** The end of a statement that writes a row over the one that has its key. */
export function overwrite(table: Table): string {
  const [key, ...others] = columnNames(table);
  return `ON CONFLICT (${key}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}
