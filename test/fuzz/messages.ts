import { mutateBytes } from "./bodies.ts";
import { Random } from "./random.ts";

/** Target of the marker request after each message. A parser that finds the marker has found the end of the message. */
export const markerTarget = "/marker";
const marker = `GET ${markerTarget} HTTP/1.1\r\nHost: marker\r\n\r\n`;

/** Returns the pieces of an HTTP message, often slightly malformed, followed by the marker, as determined by the seed and the index. */
export function generateMessage(seed: number, index: number): Buffer[] {
  const random = new Random(seed, index);
  let text = generateMessageText(random);
  if (random.chance(0.1)) text += generateMessageText(random);
  if (random.chance(0.25)) text = replaceParts(random, text);
  if (random.chance(0.1)) text = changeLines(random, text);
  let bytes: Buffer = Buffer.from(text, "latin1");
  if (random.chance(0.1)) bytes = mutateBytes(random, bytes);
  return splitRandomly(random, Buffer.concat([bytes, Buffer.from(marker)]));
}

export function appendMarker(text: string): Buffer[] {
  return [Buffer.from(text + marker, "latin1")];
}

function generateMessageText(random: Random): string {
  const target = pickCommonOrOther(random, "/v1/pets?limit=1", targets);
  const version = pickCommonOrOther(random, "HTTP/1.1", versions);
  const [method, framing, body] = random.choose<() => [method: string, framing: string[], body: string]>([
    [2, () => ["GET", [], ""]],
    [2, () => ["POST", [`Content-Length: ${pickCommonOrOther(random, "5", lengths)}`], "12345"]],
    [
      4,
      () => [
        "POST",
        [`Transfer-Encoding: ${pickCommonOrOther(random, "chunked", codings)}`],
        generateChunkedBody(random),
      ],
    ],
  ])();
  const fields = ["Host: x", ...framing];
  for (let count = random.below(3); count > 0; count--)
    fields.splice(random.below(4), 0, random.pick(random.chance(0.7) ? wellFormedFields : strangeFields));
  const head = [`${pickCommonOrOther(random, method, methods)} ${target} ${version}`, ...fields].join("\r\n");
  return `${random.chance(0.05) ? random.pick(["\r\n", "\r\n\r\n", "\n", "\r"]) : ""}${head}\r\n\r\n${body}`;
}

function generateChunkedBody(random: Random): string {
  let text = "";
  for (let count = random.below(4); count > 0; count--) {
    const data = random.pick(["x", "0\r\n\r\n", "a long piece of data", "GET / HTTP/1.1\r\n\r\n"]);
    const size = random.pick(["", "", "0", "00000000"]) + data.length.toString(16);
    text += `${pickCommonOrOther(random, size, chunkSizes)}${generateExtension(random)}\r\n${data}\r\n`;
  }
  const trailer = random.chance(0.3) ? `${random.pick(trailers)}\r\n` : "";
  return `${text}${pickCommonOrOther(random, "0", chunkSizes)}${generateExtension(random)}\r\n${trailer}\r\n`;
}

function generateExtension(random: Random): string {
  return random.chance(0.2) ? random.pick(chunkExtensions) : "";
}

function pickCommonOrOther(random: Random, common: string, others: readonly string[]): string {
  return random.chance(0.95) ? common : random.pick(others);
}

function replaceParts(random: Random, text: string): string {
  const parts = text.split(/(\b|(?<=\W)(?=\W))/);
  const place = random.below(parts.length);
  parts.splice(place, random.below(3), random.pick(delimiters));
  return parts.join("");
}

function changeLines(random: Random, text: string): string {
  const lines = text.split("\r\n");
  const place = random.below(lines.length);
  const line = lines[place] ?? "";
  const cut = random.below(line.length + 1);
  random.choose<() => void>([
    [1, () => void lines.splice(place, 1)],
    [2, () => void lines.splice(random.below(lines.length), 0, line)],
    [1, () => void lines.splice(random.below(lines.length), 0, ...lines.splice(place, 1))],
    [1, () => void lines.splice(place, 1, line.slice(0, cut), line.slice(cut))],
  ])();
  return lines.join("\r\n");
}

function splitRandomly(random: Random, bytes: Buffer): Buffer[] {
  if (random.chance(0.7)) return [bytes];
  const cut = random.below(bytes.length);
  return [bytes.subarray(0, cut), bytes.subarray(cut)];
}

export const methods = ["HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "PRI", "FROB", "get", "G(T", "M-SEARCH", ""];
export const targets = [
  ..."* / // /* /.. /% /v1/pets?% /?a?b /#a /a%zz /\x7f ? # x x:80 v1/pets :// \\v1\\pets".split(" "),
  ..."http:// http:/// http:///a http://x http://x?a http://x#a HTTPS://x:80/a http://[::1]/ http://u:p@x/".split(" "),
  "",
  '/"<>\\^`{|}',
  "/\xc3\xa9",
  "/\xff",
  "/a\tb",
  'http://x"y/',
  "http://x\xff/",
];
export const versions = [
  ..."HTTP/1.0 HTTP/1.2 HTTP/1.10 HTTP/2.0 HTTP/3 HTTP/0.9 HTTP/1 HTTP/1. http/1.1 HTTP/11 HTTPS/1.1".split(" "),
  ...["HTTP/1.1 ", " HTTP/1.1", "HTTP /1.1", ""],
];
const lengths = ["0", "4", "6", "05", "+5", "-1", "5,5", "5 5", "0x5", "5.0", "", "\t5", "5\t", "18446744073709551621"];
export const codings = [
  ...'Chunked gzip identity xchunked chunkedx chunked;a=b chunked, , "chunked"'.split(" "),
  ...["gzip, chunked", "chunked, gzip", "chunked, identity", "chunked, chunked", ", chunked"],
  ...["", "\tchunked", "chunked ", "chunked\t", "chun\tked"],
];
export const chunkSizes = [
  ..."-1 +1 0x1 1_0 g \xb2 7FFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF 10000000000000000".split(" "),
  ...["", " 1", "1 ", "1\t", "1\n", "1\r"],
];
export const chunkExtensions = [
  ...';a ;a=b ;a;b=c ;a="b" ;a="b;c" ;a="" ;a="\\"" ;a="\\\\" ;a="b ;a="b"c'.split(" "),
  ...";a=b=c ;a= ;=b ; ;;a ;a=\x7f ;a=( ,a".split(" "),
  ...[" ;a", "; a", ";a =b", ";a= b", ";a ", ";a\t", ";a\0"],
  ';a="b\t\xff"',
  ';a="b\r\nX\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"',
  ';a="\n"',
  ';a="\\\r\n"',
];
/** Lines that are not header fields. */
export const malformedFields = [
  ...["X-A: b\x01c", "X-A: b\0c", "X-A: b\x7fc", "X-A: b\rc", "X-A: b\r\r", "X-A:\x0bb", "X-A : b", " X-A: b"],
  ...["X-A", "X A: b", "X\xff: b", "(a): b", ": b", "X-A: b\r\n c", "X-A: b\nX-B: c"],
];
export const trailers = [
  ...malformedFields,
  "X-A: b",
  "X-A:",
  "Authorization: Bearer x",
  "Content-Length: 5",
  "content-length:0",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip",
  "Host: y",
  "Connection: close",
  "Trailer: X-A",
];
const wellFormedFields = [
  "Accept: application/json",
  "X-Empty:",
  "X-A: \tb c\t ",
  "X-A: \xff",
  "Connection: close",
  "Connection: keep-alive",
  "Connection: close, x",
  "Connection: x,\tclose",
  'Connection: "close"',
  "Connection: keep-alive, close",
  "Connection: Upgrade\r\nUpgrade: h2c",
  "Expect: 100-continue",
  "Expect: x",
  "TE: trailers",
  "Trailer: X-A",
];
const strangeFields = [
  ...malformedFields,
  "Host: y",
  "Proxy-Connection: close",
  "Content-Length: 5",
  "Content-Length : 5",
  "Content_Length: 5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding : chunked",
];
const delimiters = [
  ..." \t\r\n\0\v\f:;,=\"'()/\\@[]{}<>?#%\x7f\x80\xff0159aFxX",
  ...["\r\n", "\n\r", "\r\r\n", "\r\n\r\n", "\r\n ", " \r\n", "\t\r\n", "0\r\n"],
  ...["chunked", "Content-Length", "Transfer-Encoding", "Connection: close\r\n"],
];
