import { expect, test } from "bun:test";
import { PacedStream } from "./paced-stream.ts";

test("once it must hurry, a reader that takes nothing is not waited for, whenever it was sent something", async () => {
  let cuts = 0;
  const stream = new PacedStream({ patienceMs: 60_000, cutIfStalled: () => cuts++ });
  stream.hurry();
  expect(cuts).toBe(0);
  const sent = stream.send(new Uint8Array(10));
  expect(cuts).toBe(1);
  stream.hurry();
  expect(cuts).toBe(2);
  stream.leave();
  await expect(sent).rejects.toThrow();
});

test("however quick its reader is, others have a turn between any two pieces", async () => {
  const stream = new PacedStream({ patienceMs: 60_000, cutIfStalled() {} });
  const read = (async () => {
    let bytes = 0;
    for await (const piece of stream.readable) bytes += piece.length;
    return bytes;
  })();
  const happened: string[] = [];
  for (const piece of ["first", "second", "third"]) {
    setImmediate(() => happened.push(`a turn for others, ${piece}`));
    await stream.send(new Uint8Array(10));
    happened.push(`${piece} was taken`);
  }
  stream.end();
  expect(await read).toBe(30);
  expect(happened).toEqual([
    "a turn for others, first",
    "first was taken",
    "a turn for others, second",
    "second was taken",
    "a turn for others, third",
    "third was taken",
  ]);
});
