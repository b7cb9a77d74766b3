import { expect, test } from "bun:test";
import { beforeFirst } from "../domain/event-cursor.ts";
import { EventBatch } from "../operations/events/read-events.ts";
import { SharedBatches } from "./shared-batches.ts";

test("who asks while the same is being read shares it, but not once there are more events", async () => {
  const batches = new SharedBatches();
  const readings: PromiseWithResolvers<EventBatch>[] = [];
  const read = () =>
    batches.read({ cursor: "1" }, "read", () => {
      const reading = Promise.withResolvers<EventBatch>();
      readings.push(reading);
      return reading.promise;
    });
  const [one, two] = [read(), read()];
  expect(readings).toHaveLength(1);
  batches.forget();
  const three = read();
  expect(readings).toHaveLength(2);
  const [old, fresh] = [new EventBatch([], beforeFirst, false), new EventBatch([], beforeFirst, false)];
  readings[0]?.resolve(old);
  expect([await one, await two]).toEqual([old, old]);
  // The end of the first reading leaves the second shared.
  const four = read();
  expect(readings).toHaveLength(2);
  readings[1]?.resolve(fresh);
  expect(await three).toBe(fresh);
  expect(await four).toBe(fresh);
});
