import { expect, test } from "bun:test";
import type { TestDatabase } from "../support/database.ts";
import { startService } from "../support/service.ts";

const animalCountFor = (query: string) => (query.startsWith("limit=7") ? 1_000 : 3_000);

/** True for animals that are changed or deleted during the walk. All other animals must be seen exactly once. */
const isChangedDuringWalk = (id: number) => id % 10 === 4;

const statusOf = (id: number) => ["available", "pending", "sold"][id % 3];

test.each([
  ["limit=7", () => true],
  ["limit=100", () => true],
  ["limit=7&status=sold", (id: number) => statusOf(id) === "sold"],
  ["limit=100&status=available", (id: number) => statusOf(id) === "available"],
  ["limit=7&categoryId=3", (id: number) => id % 5 === 3],
  ["limit=100&sort=-id", () => true],
  ["limit=7&sort=-id&status=sold", (id: number) => statusOf(id) === "sold"],
  ["limit=7&status=sold,available", (id: number) => statusOf(id) !== "pending"],
  ["limit=100&categoryId=2&status=pending", (id: number) => id % 5 === 2 && statusOf(id) === "pending"],
])("a walk through all pages with %s returns every unchanged animal exactly once", async (query, matches) => {
  const count = animalCountFor(query);
  await using service = await startService();
  await service.database.fill(count);
  const unchangedIds = Array.from({ length: count }, (_, index) => index + 1).filter(
    (id) => matches(id) && !isChangedDuringWalk(id),
  );
  const disturbance = createDisturbance(service.database, count);
  let addedCount = 0;
  let isWalking = true;
  const adding = (async () => {
    for (; isWalking; addedCount++) {
      const response = await service.client.call("/v1/pets", {
        body: { name: "Late", categoryId: addedCount % 5, status: statusOf(addedCount) },
      });
      expect(response.status).toBe(201);
    }
  })();
  const isDescending = query.includes("sort=-id");
  const seen: number[] = [];
  for await (const { id } of service.client.walk(`/v1/pets?${query}`, disturbance)) {
    seen.push(id);
    // Stops at the first added animal; otherwise, the added animals would make an ascending walk endless.
    if (id > count && !isDescending) break;
  }
  isWalking = false;
  await adding;
  expect(addedCount).toBeGreaterThan(0);
  expect(seen).toEqual([...new Set(seen)].sort((one, other) => (isDescending ? other - one : one - other)));
  expect(seen.filter((id) => id <= count && !isChangedDuringWalk(id))).toEqual(
    isDescending ? unchangedIds.toReversed() : unchangedIds,
  );
});

function createDisturbance(database: TestDatabase, count: number): () => Promise<void> {
  const changedIds = Array.from({ length: count }, (_, index) => index + 1).filter(isChangedDuringWalk);
  return async () => {
    for (let count = 0; count < 3; count++) {
      const id = changedIds[Math.floor(Math.random() * changedIds.length)];
      const status = statusOf(Math.floor(Math.random() * 3));
      if (Math.random() < 0.5) await database.run(`DELETE FROM pets WHERE id = ${id}`);
      else await database.run(`UPDATE pets SET status = '${status}', category_id = category_id + 1 WHERE id = ${id}`);
    }
  };
}
