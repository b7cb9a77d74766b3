import { expect, test } from "bun:test";
import { ChunkedDecoder, MalformedChunks } from "./chunked.ts";

/** Takes a body apart that comes in pieces of so many bytes, with the next request behind it. */
function decode(text: string, pieceBytes: number) {
  const decoder = new ChunkedDecoder();
  const bytes = Buffer.from(`${text}GET / HTTP/1.1\r\n\r\n`, "latin1");
  let data = "";
  let taken = 0;
  for (let at = 0; at < bytes.length && !decoder.isComplete; at += pieceBytes) {
    taken += decoder.take(bytes.subarray(at, at + pieceBytes), (piece) => {
      data += piece.toString("latin1");
    });
  }
  return { data, taken, chunks: decoder.chunks, isComplete: decoder.isComplete };
}

test.each([
  ["none", "0\r\n\r\n", "", 0],
  ["one", "3\r\nabc\r\n0\r\n\r\n", "abc", 1],
  ["some, of unusual sizes", "00A\r\n0123456789\r\n1\r\n\r\r\n0000\r\n\r\n", "0123456789\r", 2],
  ["extensions", '1;a=b;c="d;e"\r\nx\r\n1 ;f\r\ny\r\n0;g\r\n\r\n', "xy", 2],
  ["trailers", "1\r\nx\r\n0\r\nX-A: b\r\nX-B:\r\n\r\n", "x", 1],
])("a body of chunks, %s, is put together however it comes", (_, text, data, chunks) => {
  for (let pieceBytes = 1; pieceBytes <= text.length + 1; pieceBytes++) {
    expect([pieceBytes, decode(text, pieceBytes)]).toEqual([
      pieceBytes,
      { data, taken: text.length, chunks, isComplete: true },
    ]);
  }
});

test.each([
  ["no size", "\r\n"],
  ["a size with a sign", "+1\r\nx\r\n"],
  ["a size with a prefix", "0x1\r\nx\r\n"],
  ["a size that no number holds", "10000000000000\r\n"],
  ["a line feed alone after the size", "1\nx\r\n"],
  ["a carriage return alone in an extension", "1;a\rb\r\nx\r\n"],
  ["too few bytes", "1\r\n\r\n\r\n"],
  ["too many bytes", "1\r\nxy\r\n"],
  ["an extension that does not end", `1;${"a".repeat(5_000)}`],
  ["a trailer that is none", "0\r\nX-A\r\n\r\n"],
  ["a trailer that goes on in the next line", "0\r\nX-A: b\r\n c\r\n\r\n"],
  ["trailers that do not end", `0\r\n${"X-A: b\r\n".repeat(3_000)}`],
])("chunks with %s are malformed however they come", (_, text) => {
  for (const pieceBytes of [1, 2, 3, text.length + 20]) expect(() => decode(text, pieceBytes)).toThrow(MalformedChunks);
});
