/** Returns the fields of a CSV record (RFC 4180), or a message if the record is malformed. */
export function parseCsvRecord(record: string, separator = ","): string[] | string {
  if (!record.includes('"')) return record.split(separator).map(unescapeFormula);
  const fields: string[] = [];
  for (let start = 0; start <= record.length; ) {
    const isQuoted = record[start] === '"';
    const end = isQuoted ? findClosingQuote(record, start + 1) + 1 : indexOrEnd(record, separator, start);
    if (isQuoted && end === 0) return unclosedQuote;
    const text = record.slice(start, end);
    if (!isQuoted && text.includes('"')) return "A field with a quote in it must be in quotes, and the quote doubled.";
    fields.push(unescapeFormula(isQuoted ? text.slice(1, -1).replaceAll('""', '"') : text));
    const next = record[end] ?? separator;
    if (next !== separator) return `A quote that is closed must be followed by a ${separatorNames[separator]}.`;
    start = end + 1;
  }
  return fields;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

export const unclosedQuote = "A quote is opened and not closed.";

/** Spreadsheets write semicolons or tabs in countries where the comma is the decimal mark. */
export const csvSeparators = [",", ";", "\t"] as const;

const separatorNames: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab" };

/** Returns the index of the quote that ends a field, or -1 if the field is not closed. */
export function findClosingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

export function formatCsvRecord(fields: readonly (string | number | bigint | null | undefined)[]): string {
  return `${fields.map((field) => (typeof field === "string" ? quote(escapeFormula(field)) : String(field ?? ""))).join(",")}\r\n`;
}

function quote(field: string): string {
  return /[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Adds an apostrophe to a text that a spreadsheet would run as a formula (OWASP), even if the text already has one. */
function escapeFormula(field: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(field) ? `'${field}` : field;
}

function unescapeFormula(field: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(field) ? field.slice(1) : field;
}
