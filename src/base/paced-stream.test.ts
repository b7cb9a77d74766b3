import { describe, expect, test } from "bun:test";
import { PacedStream, ReaderGone, type StreamReader } from "./paced-stream.ts";

const patientReader: StreamReader = {
  patienceMs: 60_000,
  minBytesPerMs: () => 1,
  unsentBytes: () => undefined,
  keepOpen() {},
  cutIfStalled() {},
};

test("once it must hurry, a reader that takes nothing is not waited for, whenever it was sent something", async () => {
  let cuts = 0;
  const stream = new PacedStream({ ...patientReader, cutIfStalled: () => cuts++ });
  stream.hurry();
  expect(cuts).toBe(0);
  const sent = stream.send(new Uint8Array(10));
  expect(cuts).toBe(1);
  stream.leave();
  await expect(sent).rejects.toThrow();
});

test("a reader that is sent something has no more time if it is told to hurry twice", async () => {
  let cuts = 0;
  const stream = new PacedStream({ ...patientReader, cutIfStalled: () => cuts++ });
  const sent = stream.send(new Uint8Array(10));
  stream.hurry();
  stream.hurry();
  expect(cuts).toBe(1);
  stream.leave();
  await expect(sent).rejects.toThrow();
});

test("however quick its reader is, others have a turn between any two pieces", async () => {
  const stream = new PacedStream(patientReader);
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

describe("a reader that does not want the next piece yet", () => {
  const lookedAt = async (unsent: readonly (number | undefined)[], isHurried = false) => {
    const waits = [...unsent];
    const reader = {
      ...patientReader,
      patienceMs: 120,
      unsentBytes: () => waits.shift(),
      kept: 0,
      keepOpen() {
        this.kept++;
      },
    };
    const stream = new PacedStream(reader);
    if (isHurried) stream.hurry();
    const error = await stream.send(new Uint8Array(10)).catch((gone: unknown) => gone);
    expect(error).toBeInstanceOf(ReaderGone);
    return { looks: unsent.length - waits.length, kept: reader.kept };
  };
  const nothingMore = (unsent: number | undefined) => Array.from({ length: 20 }, () => unsent);

  test("is waited for while it takes what it was sent before", async () => {
    expect(await lookedAt([9_000, 8_000, 8_000, 7_000, ...nothingMore(7_000)])).toEqual({ looks: 10, kept: 2 });
  });

  test("is waited for while more is sent to it", async () => {
    expect(await lookedAt([9_000, 8_990, 9_000, 9_001, ...nothingMore(9_000)])).toEqual({ looks: 10, kept: 1 });
  });

  test("has all of its time to take enough", async () => {
    const little = [9_000, 8_960, 8_920, 8_880, 8_840, 8_800, 8_760];
    expect(await lookedAt([...little, ...nothingMore(8_760)])).toEqual({ looks: 13, kept: 2 });
  });

  test("is given up if it takes next to nothing", async () => {
    expect(await lookedAt([9_000, 8_999, 8_998, ...nothingMore(8_900)])).toEqual({ looks: 6, kept: 0 });
  });

  test("is given up if nobody knows what it takes", async () => {
    expect(await lookedAt(nothingMore(undefined))).toEqual({ looks: 6, kept: 0 });
  });

  test("is not kept once it must hurry", async () => {
    expect(await lookedAt([9_000, 8_000, ...nothingMore(8_000)], true)).toEqual({ looks: 8, kept: 0 });
  });
});
