import { expect, test } from "bun:test";
import { type BodyError, IncomingBody, uncountedBodyBytes } from "./incoming-body.ts";

const limits = { bytes: 10_000_000, chunks: 100 };
const ended = (body: Promise<Uint8Array> | Uint8Array) =>
  Promise.resolve(body).then(
    ({ length }) => length,
    (error: BodyError) => error.reason,
  );

function roomOf(bytes: number) {
  const room = {
    left: bytes,
    take(bytes: number) {
      const isThere = bytes <= room.left;
      if (isThere) room.left -= bytes;
      return isThere;
    },
    free(bytes: number) {
      room.left += bytes;
    },
  };
  return room;
}

test("a body takes room for what it has beyond a small one, until all of it is there", async () => {
  const room = roomOf(1_000);
  const body = new IncomingBody(uncountedBodyBytes + 1_001, () => {});
  const collected = ended(body.collect({ ...limits, room }));
  body.feed(Buffer.alloc(uncountedBodyBytes));
  expect(room.left).toBe(1_000);
  body.feed(Buffer.alloc(600));
  expect(room.left).toBe(400);
  body.feed(Buffer.alloc(400));
  expect(room.left).toBe(0);
  body.feed(Buffer.alloc(1));
  expect([await collected, room.left]).toEqual(["noRoom", 1_000]);
});

test("a body gives its room back when it is complete, has failed, or is not wanted any more", async () => {
  const room = roomOf(1_000);
  const endings: ((body: IncomingBody) => void)[] = [
    (body) => body.feed(Buffer.alloc(500)),
    (body) => body.fail("incomplete"),
    (body) => body.discard(),
  ];
  for (const end of endings) {
    const body = new IncomingBody(uncountedBodyBytes + 1_000, () => {});
    void ended(body.collect({ ...limits, room }));
    body.feed(Buffer.alloc(uncountedBodyBytes + 500));
    expect(room.left).toBe(500);
    end(body);
    expect(room.left).toBe(1_000);
  }
});

test("a body that is complete before anybody asks for it needs no room", async () => {
  const body = new IncomingBody(uncountedBodyBytes + 1, () => {});
  body.feed(Buffer.alloc(uncountedBodyBytes + 1));
  expect(await ended(body.collect({ ...limits, room: roomOf(0) }) as Uint8Array)).toBe(uncountedBodyBytes + 1);
});
