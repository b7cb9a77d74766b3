import type { Fields, JsonSchema, ObjectSchema } from "../../src/operations/schema.ts";
import type { Random } from "./random.ts";
import { strangeTexts } from "./texts.ts";

export interface Body {
  readonly bytes: Buffer;
  /** True if the body certainly matches the schema and is not too large. */
  readonly isValid: boolean;
}

export const maxItems = 20;

/** Returns the JSON value of a field whose valid values the schema alone does not determine, such as an id; undefined for other fields. */
export type Resolver = (name: string) => string | undefined;

export function generateBody(random: Random, schema: ObjectSchema, resolve: Resolver): Body {
  return random.choose<() => Body>([
    [12, () => generateValidBody(random, schema, resolve)],
    [5, () => toInvalidBody(renderObject(random, generateNearlyValidFields(random, schema, resolve)))],
    [4, () => toInvalidBody(mutateJson(random, renderObject(random, generateValidFields(random, schema, resolve))))],
    [2, () => toInvalidBody(random.pick(unrelatedBodyGenerators)(random))],
    [1, () => ({ bytes: random.bytes(random.size(2_000)), isValid: false })],
    [1, () => ({ bytes: mutateBytes(random, generateValidBody(random, schema, resolve).bytes), isValid: false })],
    [1, () => padBody(random, generateValidBody(random, schema, resolve))],
  ])();
}

export function generateValidBody(random: Random, schema: ObjectSchema, resolve: Resolver): Body {
  return { bytes: Buffer.from(renderObject(random, generateValidFields(random, schema, resolve))), isValid: true };
}

export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let result = bytes;
  for (let count = random.size(8); count > 0; count--) {
    const place = random.below(result.length + 1);
    const before = result.subarray(0, place);
    const after = result.subarray(place);
    result = random.choose<() => Buffer>([
      [4, () => Buffer.concat([before, Buffer.of(random.below(256)), after.subarray(1)])],
      [2, () => Buffer.concat([before, Buffer.of(random.below(256)), after])],
      [2, () => Buffer.concat([before, after.subarray(random.size(20))])],
      [1, () => Buffer.concat([before, after.subarray(0, random.size(50)), after])],
      [
        1,
        () =>
          Buffer.concat([before, Buffer.from(random.pick(["\r\n", "\r", "\n", "\0", " ", ":", "\r\n\r\n"])), after]),
      ],
      [1, () => before],
    ])();
  }
  return result;
}

type JsonField = readonly [name: string, json: string];

function toInvalidBody(text: string): Body {
  return { bytes: Buffer.from(text), isValid: false };
}

function renderObject(random: Random, pairs: readonly JsonField[]): string {
  const randomSpace = () => (random.chance(0.1) ? random.pick([" ", "\n", "\t", "\r\n", "  "]) : "");
  const fields = pairs.map(
    ([name, json]) =>
      `${randomSpace()}${renderName(random, name)}${randomSpace()}:${randomSpace()}${json}${randomSpace()}`,
  );
  return `${randomSpace()}{${fields.join(",")}}${randomSpace()}`;
}

function renderName(random: Random, name: string): string {
  return random.chance(0.05) && name !== ""
    ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}"`
    : JSON.stringify(name);
}

function generateValidFields(
  random: Random,
  { properties, required = [] }: ObjectSchema,
  resolve: Resolver,
): JsonField[] {
  const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(0.6));
  const pairs = names.map(
    (name): JsonField => [name, resolve(name) ?? generateValidValue(random, properties[name] as JsonSchema)],
  );
  return random.chance(0.2) ? pairs.reverse() : pairs;
}

function generateValidValue(random: Random, schema: JsonSchema): string {
  const options = schema["enum"] as readonly string[] | undefined;
  if (options) return JSON.stringify(random.pick(options));
  if (Array.isArray(schema.type) && random.chance(0.4)) return "null";
  if (schema.format === "date-time")
    return `"20${random.between(40, 99)}-0${random.between(1, 9)}-1${random.below(10)}T00:00:00Z"`;
  if (schema.type === "integer") return generateValidInteger(random, schema);
  if (schema.type === "boolean") return random.pick(["true", "false"]);
  if (schema.type === "array") {
    const items = schema["items"] as JsonSchema;
    const count = items.type === "object" ? random.size(maxItems) : 1;
    return `[${Array.from({ length: Math.max(1, count) }, () => generateValidValue(random, items)).join(",")}]`;
  }
  if (schema.type === "object")
    return renderObject(
      random,
      generateValidFields(random, schema as ObjectSchema, () => undefined),
    );
  return renderText(random, generateValidText(random, Number(schema["maxLength"] ?? 40)));
}

function generateValidInteger(random: Random, schema: JsonSchema): string {
  const min = schema["minimum"] as number | undefined;
  const max = schema["maximum"] as number | undefined;
  if (min !== undefined && max !== undefined) return String(random.pick([min, max, min + random.below(max - min)]));
  return random.choose<() => string>([
    [6, () => String(random.size(100_000))],
    [1, () => random.pick(["1.0", "1e2", "-0", "0", "-1", "10e-1", "1.5e1", "0.0e0"])],
    [1, () => random.pick(["9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993"])],
  ])();
}

/** Sets of characters for generated names. Some characters are invisible. */
const alphabets = [
  "Rexmia ",
  "äöüßéñ",
  "名前犬猫",
  "🐶🐱👨‍👩‍👧",
  "\u200b\u202e\ufeff\u2028",
  "'\"\\/<>&;",
  "\u0301\u0300",
];

function generateValidText(random: Random, maxLength: number): string {
  const alphabet = [...random.pick(alphabets)];
  const length = random.chance(0.02) ? maxLength - 1 : random.size(Math.min(maxLength - 1, 30));
  let text = "R";
  for (let index = 0; index < length && text.length < maxLength; index++) {
    const next = random.pick(alphabet);
    if (text.length + next.length <= maxLength) text += next;
  }
  return text;
}

function renderText(random: Random, text: string): string {
  if (!random.chance(0.1)) return JSON.stringify(text);
  const escaped = Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped.join("")}"`;
}

function generateNearlyValidFields(random: Random, schema: ObjectSchema, resolve: Resolver): JsonField[] {
  const pairs = generateValidFields(random, schema, resolve);
  for (let count = random.between(1, 2); count > 0; count--) {
    const place = random.below(pairs.length || 1);
    const name = pairs[place]?.[0] ?? "name";
    random.choose<() => void>([
      [6, () => void pairs.splice(place, 1, [name, generateWrongValue(random, schema.properties, name)])],
      [1, () => void pairs.splice(place, 1)],
      [1, () => void pairs.push([name, generateWrongValue(random, schema.properties, name)])],
      [1, () => void pairs.push([random.pick(strangeNames), "{}"])],
      [1, () => void pairs.splice(place, 1, [name.toUpperCase(), pairs[place]?.[1] ?? "1"])],
    ])();
  }
  return pairs;
}

const strangeNames = ["__proto__", "constructor", "toString", "id", "", " name", "Name", "name\0"];

function generateWrongValue(random: Random, properties: Fields, name: string): string {
  const isInteger = properties[name]?.type === "integer";
  return random.choose<() => string>([
    [isInteger ? 6 : 2, () => random.pick(wrongNumbers)],
    [isInteger ? 1 : 4, () => random.pick(wrongTexts)],
    [1, () => JSON.stringify(random.pick(strangeTexts))],
    [1, () => random.pick(["null", "true", "[]", "{}", "[[]]", '["a"]', '{"name":"x"}', "[1]"])],
    [1, () => `"${"x".repeat(random.between(200, 300))}"`],
    [
      1,
      () =>
        `"${random.pick(["\\u200b", "\\ud83d\\udc36", " ", "\\u00a0", "\\u3000", "\u2028"]).repeat(random.size(400))}"`,
    ],
    [1, () => random.pick(wrongTimes)],
  ])();
}

const wrongNumbers = [
  ..."9223372036854775808 -9223372036854775809 18446744073709551616 9007199254740992.5 1.5 -0.0 01 +1 .5 1.".split(" "),
  ..."1e400 -1e400 1e-400 1e99999999999 0x10 NaN Infinity 1n".split(" "),
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`,
  `${"9".repeat(5_000)}`,
  `1e${"9".repeat(300)}`,
  '"1"',
];

const wrongTexts = [
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\ud83d"',
  '"\\u001b[31m"',
  '"\\u007f"',
  '"\\u0085"',
  '"\n"',
  '"a\tb"',
  '"\\x41"',
  '"\\u12"',
  "'Rex'",
  '"\0"',
  '"unended',
  '"AVAILABLE"',
  '"Available "',
];

const wrongTimes = [
  '"2041-02-30T00:00:00Z"',
  '"2001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999999999Z"',
  '"2041-01-01T00:00:00+01:00"',
  '"2041-01-01"',
  '"+275760-09-13T00:00:00.000Z"',
];

function mutateJson(random: Random, text: string): string {
  return random.choose<() => string>([
    [2, () => text.slice(0, random.below(text.length + 1))],
    [1, () => `${text}${random.pick([text, ",", "}", "\0", "x", "//c", "/**/", "\ufeff"])}`],
    [1, () => `${random.pick(["\ufeff", "\u00a0", "\0", ")]}',\n", "/**/", "\u2028"])}${text}`],
    [1, () => text.replace("{", `{"${random.pick(["name", "categoryId", "petId", "scope", "status"])}":1,`)],
    [1, () => text.replaceAll('"', random.pick(["'", "“", '\\"', ""]))],
    [1, () => text.replace("}", ",}")],
    [1, () => nestDeeply(random, text)],
  ])();
}

function nestDeeply(random: Random, text: string): string {
  const depth = random.pick([30, 31, 32, 33, 100, 1_000, 15_000, 30_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ["[[", "]]"],
    ['[{"a":', "}]"],
  ] as const);
  const levels = Math.min(depth, Math.floor(64_000 / (open.length + close.length)));
  const nested =
    open.repeat(levels) + (random.chance(0.5) ? "1" : "") + (random.chance(0.8) ? close.repeat(levels) : "");
  return random.chance(0.5) ? nested : text.replace("{", `{"deep":${nested},`);
}

const unrelatedBodyGenerators: readonly ((random: Random) => string)[] = [
  () => "",
  () => " ",
  () => "null",
  () => "[]",
  () => "1",
  () => '"name"',
  () => "[{}]",
  () => "{",
  () => "}{",
  () => "\0",
  (random) => `[${"1,".repeat(random.size(30_000))}1]`,
  (random) => `{${Array.from({ length: random.size(3_000) }, (_, index) => `"k${index}":${index}`).join(",")}}`,
  (random) => `{"name":"${"\\u0041".repeat(random.size(10_000))}"}`,
  (random) => `{"name":${'"'.repeat(random.size(10_000))}}`,
  (random) => " ".repeat(random.size(60_000)),
  () => "name=Rex&categoryId=7",
  () => "<pet/>",
];

/** Appends insignificant spaces to a body, up to a size just below, at or above the limit. */
function padBody(random: Random, { bytes }: Body): Body {
  const length = random.pick([65_535, 65_536, 65_537, 70_000, 131_072]);
  return {
    bytes: Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), " ")]),
    isValid: length <= 65_536,
  };
}
