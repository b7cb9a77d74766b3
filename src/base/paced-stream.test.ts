import { expect, test } from "bun:test";
import { PacedStream, ReaderGone, type StreamReader } from "./paced-stream.ts";

const patientReader: StreamReader = {
  timeoutMs: 60_000,
  minBytesPerMs: () => 1,
  acknowledgedBytes: () => 0,
  keepOpen() {},
  closeIfStalled() {},
};

test("once the timeout is shortened, the reader is checked for a stall with each later piece", async () => {
  let closeCount = 0;
  const stream = new PacedStream({ ...patientReader, closeIfStalled: () => closeCount++ });
  stream.shortenTimeout();
  expect(closeCount).toBe(0);
  const sending = stream.send(new Uint8Array(10));
  expect(closeCount).toBe(1);
  stream.abandon();
  await expect(sending).rejects.toThrow();
});

test("shortening the timeout twice does not give a reader more time", async () => {
  let closeCount = 0;
  const stream = new PacedStream({ ...patientReader, closeIfStalled: () => closeCount++ });
  const sending = stream.send(new Uint8Array(10));
  stream.shortenTimeout();
  stream.shortenTimeout();
  expect(closeCount).toBe(1);
  stream.abandon();
  await expect(sending).rejects.toThrow();
});

test("other work runs between any two pieces, even if the reader is fast", async () => {
  const stream = new PacedStream(patientReader);
  const read = (async () => {
    let bytes = 0;
    for await (const piece of stream.readable) bytes += piece.length;
    return bytes;
  })();
  const log: string[] = [];
  for (const piece of ["first", "second", "third"]) {
    setImmediate(() => log.push(`other work during ${piece}`));
    await stream.send(new Uint8Array(10));
    log.push(`${piece} was taken`);
  }
  stream.end();
  expect(await read).toBe(30);
  expect(log).toEqual(
    ["first", "second", "third"].flatMap((piece) => [`other work during ${piece}`, `${piece} was taken`]),
  );
});

async function checkReader(acknowledgedBytes: readonly number[], isTimeoutShortened = false) {
  const left = [...acknowledgedBytes];
  let keepOpenCount = 0;
  const reader = {
    ...patientReader,
    timeoutMs: 120,
    acknowledgedBytes: () => left.shift() ?? 0,
    keepOpen: () => keepOpenCount++,
  };
  const stream = new PacedStream(reader);
  if (isTimeoutShortened) stream.shortenTimeout();
  const error = await stream.send(new Uint8Array(10)).catch((gone: unknown) => gone);
  expect(error).toBeInstanceOf(ReaderGone);
  return { checkCount: acknowledgedBytes.length - left.length, keepOpenCount };
}

const nothingMore = (taken: number) => Array.from({ length: 20 }, () => taken);

test("a reader that does not take the next piece stays connected while it takes earlier pieces", async () => {
  const taken = [0, 1_000, 1_000, 2_000, ...nothingMore(2_000)];
  expect(await checkReader(taken)).toEqual({ checkCount: 10, keepOpenCount: 2 });
});

test("a reader has the whole timeout to take the minimum number of bytes", async () => {
  const taken = [0, 40, 80, 120, 160, 200, 240, ...nothingMore(240)];
  expect(await checkReader(taken)).toEqual({ checkCount: 13, keepOpenCount: 2 });
});

test("a reader that takes almost nothing is disconnected", async () => {
  expect(await checkReader([0, 1, 2, ...nothingMore(100)])).toEqual({ checkCount: 6, keepOpenCount: 0 });
});

test("a reader that takes each small piece in time, but too few bytes altogether, is disconnected", async () => {
  let sentBytes = 0;
  const stream = new PacedStream({ ...patientReader, timeoutMs: 120, acknowledgedBytes: () => sentBytes });
  const reading = (async () => {
    for await (const _ of stream.readable) await Bun.sleep(15);
  })().catch(() => {});
  const sending = (async () => {
    for (;;) await stream.send(new Uint8Array(++sentBytes && 1));
  })();
  await expect(sending).rejects.toThrow(ReaderGone);
  await reading;
});

test("the timeouts of a connection are not postponed once the timeout of the stream is shortened", async () => {
  expect(await checkReader([0, 1_000, ...nothingMore(1_000)], true)).toEqual({ checkCount: 8, keepOpenCount: 0 });
});
