/** A name in lower case, and the value after its `=`, without quotes. */
export interface Pair {
  readonly name: string;
  readonly value: string | undefined;
}

export function parseBearerToken(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trimEnd();
}

/** Parses lists such as `br, gzip;q=0.5`. The text is scanned once, so no input takes more than linear time. */
export function parseList(header: string | null): Pair[][] {
  return splitOutsideQuotes(header ?? "", ",")
    .filter(isFilled)
    .map(parsePairs);
}

/**
 * Parses a list to which every proxy appends an element. Scanning from the end keeps what a client has sent, such as an unmatched quote,
 * from changing how the elements of proxies are parsed. Text before an unmatched quote becomes an element without parameters.
 */
export function parseAppendedList(header: string | null): Pair[][] {
  const text = header ?? "";
  const parts: string[] = [];
  let end = text.length;
  let isQuoted = false;
  for (let index = text.length - 1; index >= 0; index--) {
    const character = text[index];
    if (character === '"') {
      const escapes = isQuoted ? countBackslashesBefore(text, index) : 0;
      if (escapes % 2 === 0) isQuoted = !isQuoted;
      index -= escapes;
    } else if (!isQuoted && character === ",") {
      parts.push(text.slice(index + 1, end));
      end = index;
    }
  }
  if (!isQuoted) parts.push(text.slice(0, end));
  const elements = parts.reverse().filter(isFilled).map(parsePairs);
  return isQuoted ? [[], ...elements] : elements;
}

export function splitOutsideQuotes(text: string, separator: "," | ";"): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === "\\") index++;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** Returns the quality of an element: 1 if the element states none, 0 if the list does not contain the element. */
export function findQuality(name: string, elements: readonly (readonly Pair[])[]): number {
  const element = elements.find(([first]) => first?.name === name);
  const quality = element?.find((pair) => pair.name === "q")?.value;
  if (!element) return 0;
  return quality === undefined ? 1 : Number(quality) || 0;
}

function countBackslashesBefore(text: string, index: number): number {
  let start = index;
  while (text[start - 1] === "\\") start--;
  return index - start;
}

function isFilled(element: string): boolean {
  return element.trim() !== "";
}

function parsePairs(element: string): Pair[] {
  return splitOutsideQuotes(element, ";").map((part) => {
    const equals = part.indexOf("=");
    if (equals < 0) return { name: part.trim().toLowerCase(), value: undefined };
    return { name: part.slice(0, equals).trim().toLowerCase(), value: unquote(part.slice(equals + 1).trim()) };
  });
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  let value = "";
  for (let index = 1; index < text.length - 1; index++) {
    if (text[index] === "\\") index++;
    value += text[index];
  }
  return value;
}
