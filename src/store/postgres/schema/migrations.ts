import type { SchemaVersion } from "../../schema-version.ts";
import { foldedName } from "../by-name.ts";
import type { Query } from "../query.ts";
import { foldNames, outdatedFoldingCondition } from "./fold-names.ts";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-1-store-area.sql" with { type: "text" };
import countAnimals from "./migrations/002-2-count-animals.sql" with { type: "text" };
import keyFamilies from "./migrations/003-1-key-families.sql" with { type: "text" };
import unsealRecords from "./migrations/003-2-unseal-claims.sql" with { type: "text" };
import sharedQuotas from "./migrations/004-shared-quotas.sql" with { type: "text" };
import events from "./migrations/005-events.sql" with { type: "text" };
import webhooks from "./migrations/006-webhooks.sql" with { type: "text" };
import animalsByName from "./migrations/007-animals-by-name.sql" with { type: "text" };
import categoriesByName from "./migrations/008-categories-by-name.sql" with { type: "text" };
import eventBatches from "./migrations/009-event-batches.sql" with { type: "text" };
import categoriesByStatus from "./migrations/010-categories-by-status.sql" with { type: "text" };
import unicodeNames from "./migrations/011-unicode-names.sql" with { type: "text" };
import quotaUses from "./migrations/012-quota-uses.sql" with { type: "text" };

export interface Migration extends SchemaVersion {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A step is committed separately, is idempotent, and blocks writes only briefly. Its statements rely on the search path. */
export type Step =
  | { readonly sql: string }
  | { readonly index: string; readonly on: string }
  /** A statement to repeat until it returns no row. The parameter is `last` of the previous row, and "" in the first run. */
  | { readonly batches: string }
  | { readonly change: (query: Query) => Promise<void> };

const unfoldedCondition = "folded_name IS NULL AND octet_length(name) > char_length(name)";

/** A released migration never changes. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "animals and keys", oldestProgram: 1, steps: [{ sql: animalsAndKeys }] },
  {
    version: 2,
    name: "orders, categories, inventory and repeated requests",
    oldestProgram: 1,
    steps: [{ sql: storeArea }, { sql: countAnimals }],
  },
  {
    version: 3,
    name: "lines of keys",
    // From the seals of earlier programs, an attacker could guess a weak configured key.
    oldestProgram: 3,
    steps: [
      { sql: keyFamilies },
      { index: "claims_by_line", on: "claims (line, created_at)" },
      { batches: unsealRecords },
    ],
  },
  { version: 4, name: "quotas that instances share", oldestProgram: 3, steps: [{ sql: sharedQuotas }] },
  // Earlier programs would change data without logging events.
  { version: 5, name: "events", oldestProgram: 5, steps: [{ sql: events }] },
  { version: 6, name: "webhooks", oldestProgram: 5, steps: [{ sql: webhooks }] },
  {
    version: 7,
    name: "animals by name",
    // Migration 11 folds the names that earlier programs write.
    oldestProgram: 5,
    steps: [
      { sql: animalsByName },
      { index: "pets_unfolded", on: `pets (id) WHERE ${unfoldedCondition}` },
      { index: "pets_by_name", on: `pets ((${foldedName}), id)` },
    ],
  },
  {
    version: 8,
    name: "categories by name",
    oldestProgram: 5,
    steps: [
      { sql: categoriesByName },
      { index: "categories_unfolded", on: `categories (id) WHERE ${unfoldedCondition}` },
      { index: "categories_by_name", on: `categories ((${foldedName}), id)` },
    ],
  },
  // Earlier programs would read a batch as one event.
  { version: 9, name: "events in lots", oldestProgram: 9, steps: [{ sql: eventBatches }] },
  // Earlier programs would scan all animals to find the animals of a category.
  { version: 10, name: "categories by status", oldestProgram: 10, steps: [{ sql: categoriesByStatus }] },
  {
    version: 11,
    name: "names folded as Unicode says",
    // Earlier programs may continue: the names that they write are soon folded again.
    oldestProgram: 10,
    steps: [
      { sql: unicodeNames },
      { index: "pets_folded_otherwise", on: `pets (id) WHERE ${outdatedFoldingCondition}` },
      { index: "categories_folded_otherwise", on: `categories (id) WHERE ${outdatedFoldingCondition}` },
      { change: (query) => foldNames(query, "pets") },
      { change: (query) => foldNames(query, "categories") },
    ],
  },
  // Earlier programs count uses in another table, so until they are replaced, each quota exists twice.
  { version: 12, name: "quotas in sliding windows", oldestProgram: 10, steps: [{ sql: quotaUses }] },
];
