import { describe, expect, test } from "bun:test";
import { PacedStream, ReaderGone, type StreamReader } from "./paced-stream.ts";

const patientReader: StreamReader = {
  timeoutMs: 60_000,
  minBytesPerMs: () => 1,
  takenBytes: () => 0,
  keepOpen() {},
  cutIfStalled() {},
};

test("once it must hurry, a reader that takes nothing is not waited for, whenever it was sent something", async () => {
  let cuts = 0;
  const stream = new PacedStream({ ...patientReader, cutIfStalled: () => cuts++ });
  stream.shortenTimeout();
  expect(cuts).toBe(0);
  const sent = stream.send(new Uint8Array(10));
  expect(cuts).toBe(1);
  stream.abandon();
  await expect(sent).rejects.toThrow();
});

test("a reader that is sent something has no more time if it is told to hurry twice", async () => {
  let cuts = 0;
  const stream = new PacedStream({ ...patientReader, cutIfStalled: () => cuts++ });
  const sent = stream.send(new Uint8Array(10));
  stream.shortenTimeout();
  stream.shortenTimeout();
  expect(cuts).toBe(1);
  stream.abandon();
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
  const lookedAt = async (taken: readonly number[], isHurried = false) => {
    const waits = [...taken];
    const reader = {
      ...patientReader,
      timeoutMs: 120,
      takenBytes: () => waits.shift() ?? 0,
      kept: 0,
      keepOpen() {
        this.kept++;
      },
    };
    const stream = new PacedStream(reader);
    if (isHurried) stream.shortenTimeout();
    const error = await stream.send(new Uint8Array(10)).catch((gone: unknown) => gone);
    expect(error).toBeInstanceOf(ReaderGone);
    return { looks: taken.length - waits.length, kept: reader.kept };
  };
  const nothingMore = (taken: number) => Array.from({ length: 20 }, () => taken);

  test("is waited for while it takes what it was sent before", async () => {
    expect(await lookedAt([0, 1_000, 1_000, 2_000, ...nothingMore(2_000)])).toEqual({ looks: 10, kept: 2 });
  });

  test("has all of its time to take enough", async () => {
    const little = [0, 40, 80, 120, 160, 200, 240];
    expect(await lookedAt([...little, ...nothingMore(240)])).toEqual({ looks: 13, kept: 2 });
  });

  test("is given up if it takes next to nothing", async () => {
    expect(await lookedAt([0, 1, 2, ...nothingMore(100)])).toEqual({ looks: 6, kept: 0 });
  });

  test("is given up if it takes each of many pieces in time, but too little of them together", async () => {
    let sent = 0;
    const stream = new PacedStream({ ...patientReader, timeoutMs: 120, takenBytes: () => sent });
    const reading = (async () => {
      for await (const _ of stream.readable) await Bun.sleep(15);
    })().catch(() => {});
    const sending = (async () => {
      for (;;) await stream.send(new Uint8Array(++sent && 1));
    })();
    await expect(sending).rejects.toThrow(ReaderGone);
    await reading;
  });

  test("is not kept once it must hurry", async () => {
    expect(await lookedAt([0, 1_000, ...nothingMore(1_000)], true)).toEqual({ looks: 8, kept: 0 });
  });
});
