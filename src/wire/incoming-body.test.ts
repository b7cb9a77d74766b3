import { expect, test } from "bun:test";
import { type BodyError, IncomingBody, uncountedBodyBytes } from "./incoming-body.ts";

const limits = { maxBytes: 10_000_000, maxChunks: 100 };
const settle = (body: Promise<Uint8Array> | Uint8Array) =>
  Promise.resolve(body).then(
    ({ length }) => length,
    (error: BodyError) => error.reason,
  );

function createBudget(bytes: number) {
  const memory = {
    left: bytes,
    reserve(bytes: number) {
      const isEnough = bytes <= memory.left;
      if (isEnough) memory.left -= bytes;
      return isEnough;
    },
    release(bytes: number) {
      memory.left += bytes;
    },
  };
  return memory;
}

test("a body reserves memory for its bytes beyond the uncounted ones, and fails if no memory is left", async () => {
  const memory = createBudget(1_000);
  const body = new IncomingBody(uncountedBodyBytes + 1_001, () => {});
  const collected = settle(body.collect({ ...limits, memory }));
  body.feed(Buffer.alloc(uncountedBodyBytes));
  expect(memory.left).toBe(1_000);
  body.feed(Buffer.alloc(600));
  expect(memory.left).toBe(400);
  body.feed(Buffer.alloc(400));
  expect(memory.left).toBe(0);
  body.feed(Buffer.alloc(1));
  expect([await collected, memory.left]).toEqual(["noMemory", 1_000]);
});

test("a body releases its memory when it is complete, has failed, or is discarded", async () => {
  const memory = createBudget(1_000);
  const endings: ((body: IncomingBody) => void)[] = [
    (body) => body.feed(Buffer.alloc(500)),
    (body) => body.fail("incomplete"),
    (body) => body.discard(),
  ];
  for (const end of endings) {
    const body = new IncomingBody(uncountedBodyBytes + 1_000, () => {});
    void settle(body.collect({ ...limits, memory }));
    body.feed(Buffer.alloc(uncountedBodyBytes + 500));
    expect(memory.left).toBe(500);
    end(body);
    expect(memory.left).toBe(1_000);
  }
});

test("a body that is complete before it is collected reserves no memory", async () => {
  const body = new IncomingBody(uncountedBodyBytes + 1, () => {});
  body.feed(Buffer.alloc(uncountedBodyBytes + 1));
  expect(await settle(body.collect({ ...limits, memory: createBudget(0) }) as Uint8Array)).toBe(uncountedBodyBytes + 1);
});
