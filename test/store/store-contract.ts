import type { Engine } from "../support/database.ts";
import { describeCategories } from "./contract/categories.ts";
import { describeEvents } from "./contract/events.ts";
import { describeExpiry } from "./contract/expiry.ts";
import { describeRecords } from "./contract/idempotency.ts";
import { describeKeys } from "./contract/keys.ts";
import { describeOrders } from "./contract/orders.ts";
import { describePets } from "./contract/pets.ts";
import { describeTransfer } from "./contract/transfer.ts";
import { type Open, openStoreUnderTest } from "./contract/under-test.ts";
import { describeWebhooks } from "./contract/webhooks.ts";

export function describeStore(engine: Engine): void {
  const name = { sqlite: "SQLite", postgres: "PostgreSQL" }[engine];
  const open: Open = (options) => openStoreUnderTest(engine, options);
  describePets(name, open);
  describeOrders(name, open);
  describeCategories(name, open);
  describeKeys(name, open);
  describeRecords(name, open);
  describeEvents(name, open);
  describeExpiry(name, open);
  describeWebhooks(name, open);
  describeTransfer(name, open);
}
