/** The header fields of a request. Names are in lower case; the values of a repeated field are joined by commas. */
export class Fields {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
}

export const noFields = new Fields(new Map());

/** Returns an error message if the lines are malformed (RFC 9112). */
export function parseFields(lines: string): Fields | string {
  if (forbiddenCharacterPattern.test(lines))
    return "Send no control characters in header fields, and end their lines with CRLF.";
  const values = new Map<string, string>();
  let count = 0;
  for (let start = 0; start < lines.length; ) {
    if (++count > maxFields) return `Send at most ${maxFields} header fields.`;
    let end = lines.indexOf("\r\n", start);
    if (end < 0) end = lines.length;
    const complaint = parseField(lines, start, end, values);
    if (complaint !== undefined) return complaint;
    start = end + 2;
  }
  return new Fields(values);
}

function parseField(lines: string, start: number, end: number, values: Map<string, string>): string | undefined {
  const colon = lines.indexOf(":", start);
  const name = colon < 0 || colon > end ? undefined : normalizeName(lines.slice(start, colon));
  if (name === undefined) return "Send each header field as Name: value, on a line of its own.";
  const isFraming = name === "content-length" || name === "transfer-encoding";
  // Prevents request smuggling: a parser that treats the tab as part of the value would find another end of the body.
  if (isFraming && lines.slice(colon, end).includes("\t")) return `Send ${name} without tabs.`;
  const value = trimBlanks(lines, colon + 1, end);
  const previous = values.get(name);
  values.set(name, previous === undefined ? value : `${previous}, ${value}`);
  return undefined;
}

export const maxFields = 200;

/** A character that no value may contain, or half of a CRLF. */
const forbiddenCharacterPattern = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;

/** Returns the name in lower case; undefined if it is not a token. Names are cached, because clients send the same few again and again. */
function normalizeName(text: string): string | undefined {
  const knownName = knownNames.get(text);
  if (knownName !== undefined) return knownName;
  if (!tokenPattern.test(text)) return undefined;
  const name = text.toLowerCase();
  if (knownNames.size < maxKnownNames && text.length <= maxKnownNameLength)
    knownNames.set(copyDetached(text), copyDetached(name));
  return name;
}

/** Copies a substring for long-lived use: the substring itself would keep the whole string that it was cut from in memory. */
export function copyDetached(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

const knownNames = new Map<string, string>();
const maxKnownNames = 1_000;
const maxKnownNameLength = 64;

/** A token (RFC 9110): the name of a field, a method or a transfer coding. */
export const tokenPattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

function trimBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
