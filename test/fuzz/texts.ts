import type { Random } from "./random.ts";

/** Valid and almost valid values of headers. Other headers get `strangeTexts`. */
const examples: Readonly<Record<string, readonly string[]>> = {
  accept: [
    "application/json",
    "application/problem+json",
    "application/problem+json;q=0.5, application/json;q=0.4",
    "application/problem+json; q=0",
    "application/problem+json;q=1e999",
    "application/problem+json;q=NaN;q=1",
    "text/event-stream",
    "application/cloudevents+json",
    "*/*;q=",
    ",,;q=1,",
  ],
  "accept-encoding": [
    "gzip",
    "br",
    "gzip;q=0, br;q=0.0",
    "*",
    "identity;q=0",
    "br;q=0.000000000000001",
    "gzip, gzip, gzip",
  ],
  authorization: [
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer a b",
    "bearer\tx",
    'Bearer "x"',
    "Bearer ask_",
    "Digest x=y",
  ],
  connection: ["keep-alive", "Keep-Alive, TE", "authorization", "x-request-id, content-length"],
  "content-encoding": ["identity", "gzip", "identity, identity", "br, gzip", "IDENTITY"],
  "content-type": [
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; charset=latin1",
    'application/json; charset="utf-8',
    "application/json;",
    "application/json; charset",
    "application/merge-patch+json",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/json, text/plain",
  ],
  forwarded: [
    "for=192.0.2.60",
    'for="[2001:db8::1]:4711";proto=http;by=203.0.113.43',
    "for=unknown, for=_hidden, for=1.2.3.4",
    'for="',
    "for=;;for=,",
    'FOR = "1.2.3.4"',
  ],
  host: [
    "localhost",
    "127.0.0.1:1",
    "[::1]:80",
    "a".repeat(255),
    "x:99999",
    "a,b",
    "x y",
    "[",
    "%",
    "evil.example/..",
    "@",
  ],
  "idempotency-key": ["a", '"a"', '"', '"a', "a b", "", "a,b", "%00", "é"],
  "if-match": ["*", '"x"', 'W/"x"', '"a", "b"', '"', ",", "* , *", '"a,b"', "W/*"],
  "if-none-match": ["*", '"x"', 'W/"x"', '"a", W/"b"', '"', ",,,", "W/", '"\\""'],
  "last-event-id": ["1", "", "evt_x", "-1"],
  origin: [
    "https://shop.example",
    "null",
    "https://evil.example",
    "https://shop.example.evil",
    "HTTPS://SHOP.EXAMPLE",
    "",
  ],
  prefer: [
    "handling=strict",
    "handling=lenient",
    'handling="strict"',
    "handling = strict ; foo=bar",
    "return=minimal, handling=strict",
    "wait=1e9",
    "wait=-1",
    "wait",
    "handling",
    'handling="strict',
  ],
  range: ["bytes=0-0", "bytes=-1", "bytes=0-,0-,0-", "bytes=9999999999999999999-", "items=0-1", "bytes="],
  te: ["trailers", "gzip;q=1", "chunked"],
  traceparent: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0-0-0", "ff"],
  "user-agent": ["curl/8", "", "() { :; }; echo", "Mozilla/5.0 (<script>)"],
  "x-forwarded-for": ["192.0.2.1", "192.0.2.1, 127.0.0.1", "::1", "[::1]:1, 1.2.3.4:5", "unknown", ",", "999.1.1.1"],
  "x-http-method-override": ["DELETE"],
  "x-request-id": ["ask_", "a b", "é", "a".repeat(129), '"quoted"', "$(id)", "<b>", "%0d%0aX-Injected:1"],
};

export const headerNames: readonly string[] = Object.keys(examples);

/** Maps the examples of a header to the examples with a parameter, which are harder to parse. */
const parameterizedExamples = new Map(
  Object.values(examples)
    .map((headerExamples) => [headerExamples, headerExamples.filter((value) => value.includes("="))] as const)
    .filter(([, parameterized]) => parameterized.length > 0),
);

/** Returns a header value of characters that HTTP allows. */
export function generateHeaderValue(random: Random, name: string, maxLength: number): string {
  const headerExamples = examples[name] ?? strangeTexts;
  const value = random.choose<() => string>([
    [5, () => random.pick(headerExamples)],
    [
      8,
      () =>
        insertRepetition(random, random.pick(parameterizedExamples.get(headerExamples) ?? headerExamples), maxLength),
    ],
    [1, () => generateRepetition(random, maxLength)],
    [1, () => mutateText(random, random.pick(headerExamples))],
    [1, () => random.pick(strangeTexts)],
  ])();
  return toLegalValue(value).slice(0, maxLength);
}

const spaces = [" ", "\t", " \t"];
const units = [
  ",",
  ";",
  '"',
  "=",
  "\\",
  ", ",
  "; ",
  "a",
  "a=",
  '\\"',
  'W/"',
  "for=",
  "charset=",
  "q=0;",
  "%",
  "é",
  "=\t ",
];

/** Returns a repetition, often a long one, on which a regular expression that backtracks is slow. */
function generateRepetition(random: Random, maxLength: number): string {
  const unit = random.pick(random.chance(0.6) ? spaces : units);
  const length = random.chance(0.4) ? maxLength : random.size(maxLength);
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}

/** Inserts a repetition between two parts of a text, often followed by characters that are invalid there. */
function insertRepetition(random: Random, text: string, maxLength: number): string {
  const seams = [...text.matchAll(random.chance(0.6) ? /=|$/g : /[=;,:" ]|$/g)].map(
    ({ index }) => index + random.below(2),
  );
  const place = random.chance(0.9) ? random.pick(seams) : random.below(text.length + 1);
  let tail = random.chance(0.5) ? text.slice(place) : "";
  for (let count = random.below(4); count > 0; count--)
    tail = random.pick(['"', '"', ";", ",", "=", "x", "\\", " "]) + tail;
  return text.slice(0, place) + generateRepetition(random, Math.max(1, maxLength - text.length - 4)) + tail;
}

function mutateText(random: Random, text: string): string {
  const characters = [...text];
  for (let count = random.between(1, 4); count > 0; count--) {
    const place = random.below(characters.length + 1);
    const other = random.chance(0.5)
      ? random.pick([...spaces, ...units])
      : String.fromCharCode(random.between(32, 255));
    characters.splice(place, random.below(2), other);
  }
  return characters.join("");
}

function toLegalValue(value: string): string {
  return value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

export const strangeTexts: readonly string[] = [
  "",
  "0",
  "-1",
  "null",
  "true",
  "NaN",
  "undefined",
  "[object Object]",
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "%00",
  "%0d%0aX-Injected:%20yes",
  "%0d%0a%0d%0aHTTP/1.1 200 OK",
  "%E5%98%8A%E5%98%8DX-Injected:yes",
  "' OR '1'='1",
  '"; DROP TABLE pets; --',
  "<script>alert(1)</script>",
  "{{7*7}}",
  "#{7*7}",
  "a".repeat(300),
  "é",
  "\xff\xfe",
  "1e400",
  "9223372036854775808",
];

/** Encodes a text for a URL, correctly or almost correctly. */
export function encodeForUrl(random: Random, text: string): string {
  return random.choose<() => string>([
    [6, () => encodeURIComponent(text.toWellFormed())],
    [2, () => encodeURIComponent(encodeURIComponent(text.toWellFormed()))],
    [2, () => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")],
    [1, () => encodeURIComponent(text.toWellFormed()).replaceAll("%", "%%")],
    [1, () => random.pick(["%", "%zz", "%c0%80", "%ed%a0%80", "%f8%88%80%80%80", "+", "%u0041", "%2", "\xff"])],
    [
      1,
      () =>
        Buffer.from(text)
          .toString("latin1")
          .replace(/[^\x21-\x7e\x80-\xff]|[#?&]/g, "_"),
    ],
  ])();
}
