import { expect, test } from "bun:test";
import { ChunkedDecoder, MalformedChunks } from "./chunked.ts";

/** Decodes a body that arrives in pieces of `pieceBytes`, followed by the next request. */
function decode(text: string, pieceBytes: number) {
  const decoder = new ChunkedDecoder();
  const bytes = Buffer.from(`${text}GET / HTTP/1.1\r\n\r\n`, "latin1");
  let data = "";
  let bodyBytes = 0;
  for (let at = 0; at < bytes.length && !decoder.isComplete; at += pieceBytes) {
    bodyBytes += decoder.decode(bytes.subarray(at, at + pieceBytes), (piece) => {
      data += piece.toString("latin1");
    });
  }
  return { data, bodyBytes, chunks: decoder.chunkCount, isComplete: decoder.isComplete };
}

test.each([
  ["no chunk", "0\r\n\r\n", "", 0],
  ["one chunk", "3\r\nabc\r\n0\r\n\r\n", "abc", 1],
  ["chunks of unusual sizes", "00A\r\n0123456789\r\n1\r\n\r\r\n0000\r\n\r\n", "0123456789\r", 2],
  ["extensions", '1;a=b;c="d;e"\r\nx\r\n1;f\r\ny\r\n0;g\r\n\r\n', "xy", 2],
  ["quoted extensions", '1;a="";b="\\"\\\\\\\xe9";c="\t!~\xff"\r\nx\r\n0\r\n\r\n', "x", 1],
  ["trailers", "1\r\nx\r\n0\r\nX-A: b\r\nX-B:\r\n\r\n", "x", 1],
])("a chunked body with %s is decoded, wherever it is split", (_, text, data, chunks) => {
  for (let pieceBytes = 1; pieceBytes <= text.length + 1; pieceBytes++) {
    expect([pieceBytes, decode(text, pieceBytes)]).toEqual([
      pieceBytes,
      { data, bodyBytes: text.length, chunks, isComplete: true },
    ]);
  }
});

test.each([
  ["no size", "\r\n"],
  ["a size with a sign", "+1\r\nx\r\n0\r\n\r\n"],
  ["a size with a prefix", "0x1\r\nx\r\n0\r\n\r\n"],
  ["a size beyond the safe integers", "10000000000000\r\n"],
  ["a line feed alone after the size", "1\nx\r\n0\r\n\r\n"],
  ["a blank before the size", " 1\r\nx\r\n0\r\n\r\n"],
  ["a blank after the size", "1 \r\nx\r\n0\r\n\r\n"],
  ["a tab before an extension", "1\t;a\r\nx\r\n0\r\n\r\n"],
  ["a blank in an extension", "1; a\r\nx\r\n0\r\n\r\n"],
  ["blanks around the value of an extension", "1;a = b\r\nx\r\n0\r\n\r\n"],
  ["an extension without a name", "1;=b\r\nx\r\n0\r\n\r\n"],
  ["an empty extension", "1;\r\nx\r\n0\r\n\r\n"],
  ["an extension with an empty value", "1;a=\r\nx\r\n0\r\n\r\n"],
  ["an extension with two values", "1;a=b=c\r\nx\r\n0\r\n\r\n"],
  ["a quoted value that does not end", '1;a="b\r\nX\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"\r\n'],
  ["a quoted value that ends with a backslash", '1;a="b\\"\r\nx\r\n0\r\n\r\n'],
  ["text after a quoted value", '1;a="b"c\r\nx\r\n0\r\n\r\n'],
  ["a control character in a quoted value", '1;a="\x7f"\r\nx\r\n0\r\n\r\n'],
  ["a carriage return alone in an extension", "1;a\rb\r\nx\r\n0\r\n\r\n"],
  ["too few bytes", "1\r\n\r\n\r\n"],
  ["too many bytes", "1\r\nxy\r\n"],
  ["an extension that does not end", `1;${"a".repeat(5_000)}`],
  ["a malformed trailer", "0\r\nX-A\r\n\r\n"],
  ["a trailer that continues on the next line", "0\r\nX-A: b\r\n c\r\n\r\n"],
  ["a control character in a trailer", "0\r\nX-A: \0\r\n\r\n"],
  ["a length in a trailer", "0\r\nContent-LENGTH: 0\r\n\r\n"],
  ["a transfer coding in a trailer", "0\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["trailers that do not end", `0\r\n${"X-A: b\r\n".repeat(3_000)}`],
])("chunks with %s are malformed, wherever they are split", (_, text) => {
  for (const pieceBytes of [1, 2, 3, text.length + 20]) expect(() => decode(text, pieceBytes)).toThrow(MalformedChunks);
});

const overheadBytes = 16 * 1024;

test.each([
  ["extensions", (bytes: number) => `1;${"e".repeat(bytes - 1)}\r\nx\r\n`, ""],
  ["quoted extensions", (bytes: number) => `1;e="${"e".repeat(bytes - 5)}"\r\nx\r\n`, ""],
  ["trailers", (bytes: number) => `T:${"e".repeat(bytes - 2)}\r\n`, "0\r\n"],
])("the %s of a body are limited in total, however many lines they are on", (_, createLine, before) => {
  const end = before === "" ? "0\r\n\r\n" : "\r\n";
  const maximum = before + createLine(overheadBytes / 8).repeat(8);
  expect(decode(maximum + end, 1_000).isComplete).toBe(true);
  expect(() => decode(maximum + createLine(6) + end, 1_000)).toThrow(MalformedChunks);
});

test("the leading zeros of sizes are limited in total", () => {
  const chunk = `${"0".repeat(8)}1\r\nx\r\n`;
  const maximum = chunk.repeat(overheadBytes / 8);
  expect(decode(`${maximum}0\r\n\r\n`, 1_000).isComplete).toBe(true);
  expect(() => decode(`${maximum}00\r\n\r\n`, 1_000)).toThrow(MalformedChunks);
});

test("chunks without overhead are not limited", () => {
  const chunks = 100_000;
  expect(decode(`${"1\r\nx\r\n".repeat(chunks)}0\r\n\r\n`, 10_000)).toMatchObject({ chunks, isComplete: true });
});
