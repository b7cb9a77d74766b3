import { expect, test } from "bun:test";
import { nextTick } from "../base/tick.ts";
import { beforeFirst } from "../domain/event-cursor.ts";
import { EventBatch } from "../operations/events/read-events.ts";
import { SharedBatches } from "./shared-batches.ts";

interface Reading extends PromiseWithResolvers<EventBatch> {
  isAnyConnected(): boolean;
}

function startSharing() {
  const batches = new SharedBatches();
  const readings: Reading[] = [];
  const read = (isConnected = () => true) =>
    batches.read({ cursor: "1" }, "read", isConnected, (isAnyConnected) => {
      const reading = { ...Promise.withResolvers<EventBatch>(), isAnyConnected };
      readings.push(reading);
      return reading.promise;
    });
  return { batches, readings, read };
}

test("readers in the same tick share a batch, unless new events arrive in between", async () => {
  const { batches, readings, read } = startSharing();
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
  const { readings, read } = startSharing();
  void read();
  await nextTick();
  void read();
  expect(readings).toHaveLength(2);
});

test("a shared read has a connected client as long as one of its readers is connected", () => {
  const { readings, read } = startSharing();
  const isConnected = [true, true];
  void isConnected.map((_, index) => read(() => isConnected[index] === true));
  expect(readings.map(({ isAnyConnected }) => isAnyConnected())).toEqual([true]);
  isConnected[0] = false;
  expect(readings[0]?.isAnyConnected()).toBe(true);
  isConnected[1] = false;
  expect(readings[0]?.isAnyConnected()).toBe(false);
});
