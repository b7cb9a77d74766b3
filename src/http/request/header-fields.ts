/** A name, in lower case, and what follows its `=`, without quotes. */
export interface Pair {
  readonly name: string;
  readonly value: string | undefined;
}

/**
 * The elements of a list header, each with its parameters: `br, gzip;q=0.5` or `for=192.0.2.1;proto=http`. The
 * text is scanned once, character by character, so that no input takes longer than its length.
 */
export function elementsOf(header: string | null): Pair[][] {
  return splitOutsideQuotes(header ?? "", ",")
    .filter(isFilled)
    .map(pairsOf);
}

/**
 * The elements of a list to which every proxy appends one, in the same order. The text is read from its end: each element then
 * depends only on what follows it, so that nothing a client has sent, such as a quote that never ends, changes how the
 * elements of the proxies behind it are read. Text before an unmatched quote becomes an element without parameters.
 */
export function appendedElementsOf(header: string | null): Pair[][] {
  const text = header ?? "";
  const parts: string[] = [];
  let end = text.length;
  let isQuoted = false;
  for (let index = text.length - 1; index >= 0; index--) {
    const character = text[index];
    if (character === '"') {
      const escapes = isQuoted ? backslashesBefore(text, index) : 0;
      if (escapes % 2 === 0) isQuoted = !isQuoted;
      index -= escapes;
    } else if (!isQuoted && character === ",") {
      parts.push(text.slice(index + 1, end));
      end = index;
    }
  }
  if (!isQuoted) parts.push(text.slice(0, end));
  const elements = parts.reverse().filter(isFilled).map(pairsOf);
  return isQuoted ? [[], ...elements] : elements;
}

/** The parts between separators, of which those inside quoted strings do not count. */
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

/** How much a client likes a media type or an encoding: 1 if it names it without a weight, 0 if it does not name it. */
export function weightOf(name: string, elements: readonly (readonly Pair[])[]): number {
  const element = elements.find(([first]) => first?.name === name);
  const weight = element?.find((pair) => pair.name === "q")?.value;
  if (!element) return 0;
  return weight === undefined ? 1 : Number(weight) || 0;
}

function backslashesBefore(text: string, index: number): number {
  let start = index;
  while (text[start - 1] === "\\") start--;
  return index - start;
}

function isFilled(element: string): boolean {
  return element.trim() !== "";
}

function pairsOf(element: string): Pair[] {
  return splitOutsideQuotes(element, ";").map(pairOf);
}

function pairOf(part: string): Pair {
  const equals = part.indexOf("=");
  if (equals < 0) return { name: part.trim().toLowerCase(), value: undefined };
  return { name: part.slice(0, equals).trim().toLowerCase(), value: unquote(part.slice(equals + 1).trim()) };
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
