/** Returns the fields of a CSV record (RFC 4180), or a message about its error. */
export function parseCsvRecord(record: string, separator = ","): string[] | string {
  if (!record.includes('"')) return record.split(separator).map(unguarded);
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? findClosingQuote(record, at + 1) + 1 : indexOrEnd(record, separator, at);
    if (isQuoted && end === 0) return unclosedQuote;
    const text = record.slice(at, end);
    if (isQuoted) fields.push(unguarded(text.slice(1, -1).replaceAll('""', '"')));
    else if (text.includes('"')) return "A field with a quote in it must be in quotes, and the quote doubled.";
    else fields.push(unguarded(text));
    const next = record[end] ?? separator;
    if (next !== separator) return `A quote that is closed must be followed by a ${titles[separator] ?? "separator"}.`;
    at = end + 1;
  }
  return fields;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

export const unclosedQuote = "A quote is opened and not closed.";

/** Separators of fields: spreadsheets write others where the comma is the decimal mark. */
export const csvSeparators = [",", ";", "\t"] as const;

const titles: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab" };

/** Returns the index of the quote that ends a field; -1 if it is not closed. */
export function findClosingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** Writes a record with its line break (RFC 4180). */
export function formatCsvRecord(fields: readonly (string | number | bigint | null | undefined)[]): string {
  return `${fields.map((field) => (typeof field === "string" ? quoted(guarded(field)) : String(field ?? ""))).join(",")}\r\n`;
}

function quoted(field: string): string {
  return /[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/**
 * Prefixes a text that looks like a formula, which a spreadsheet would run, with an apostrophe (OWASP). `unguarded` removes it. A text
 * that already has apostrophes before the formula gets one more, so that every text survives a round trip.
 */
function guarded(field: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(field) ? `'${field}` : field;
}

function unguarded(field: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(field) ? field.slice(1) : field;
}
