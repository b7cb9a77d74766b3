import { expect, test } from "bun:test";
import { PacedStream } from "./paced-stream.ts";

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
