import { expect, test } from "bun:test";
import { nextTick } from "../base/tick.ts";
import { beforeFirst } from "../domain/event-cursor.ts";
import { EventBatch } from "../operations/events/read-events.ts";
import { SharedBatches } from "./shared-batches.ts";

interface Reading extends PromiseWithResolvers<EventBatch> {
  isAwaited(): boolean;
}

function sharing() {
  const batches = new SharedBatches();
  const readings: Reading[] = [];
  const read = (isAwaited = () => true) =>
    batches.read({ cursor: "1" }, "read", isAwaited, (isAwaitedByAny) => {
      const reading = { ...Promise.withResolvers<EventBatch>(), isAwaited: isAwaitedByAny };
      readings.push(reading);
      return reading.promise;
    });
  return { batches, readings, read };
}

test("readers in the same tick share a batch, unless there are more events meanwhile", async () => {
  const { batches, readings, read } = sharing();
  const [one, two] = [read(), read()];
  expect(readings).toHaveLength(1);
  batches.forget();
  const three = read();
  expect(readings).toHaveLength(2);
  const [old, fresh] = [new EventBatch([], beforeFirst, false), new EventBatch([], beforeFirst, false)];
  readings[0]?.resolve(old);
  expect([await one, await two]).toEqual([old, old]);
  readings[1]?.resolve(fresh);
  expect(await three).toBe(fresh);
});

test("a reader in a later tick starts another read, although the first is still in flight", async () => {
  const { readings, read } = sharing();
  void read();
  await nextTick();
  void read();
  expect(readings).toHaveLength(2);
});

test("a shared read has a connected client as long as one of its readers is connected", () => {
  const { readings, read } = sharing();
  const isThere = [true, true];
  void isThere.map((_, index) => read(() => isThere[index] === true));
  expect(readings.map(({ isAwaited }) => isAwaited())).toEqual([true]);
  isThere[0] = false;
  expect(readings[0]?.isAwaited()).toBe(true);
  isThere[1] = false;
  expect(readings[0]?.isAwaited()).toBe(false);
});
