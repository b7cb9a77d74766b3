import { expect, test } from "bun:test";
import { MessageParser } from "./sse.ts";

const stream =
  ": hello\r\n\r\nid: 1\nevent: a\ndata: one\n\nretry: 1500\r\r: still here\nid: 1b\n\nid: 2\ndata:two\ndata: three\n\nid: 3\ndata: incomp";
const messages = [
  { id: "1", data: "one" },
  { id: "1b", data: undefined },
  { id: "2", data: "two\nthree" },
];

test.each([1, 2, 3, 5, 1_000])("the stream parser finds the same messages in pieces of %d characters", (length) => {
  const parser = new MessageParser();
  const received = [];
  for (let start = 0; start < stream.length; start += length)
    received.push(...parser.read(stream.slice(start, start + length)));
  expect([received, parser.retryMs]).toEqual([messages, 1_500]);
});
