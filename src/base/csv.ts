/** The fields of a record of CSV (RFC 4180), or what is wrong with it. */
export function fieldsOf(record: string, separator = ","): string[] | string {
  if (!record.includes('"')) return record.split(separator).map(unguarded);
  const fields: string[] = [];
  for (let at = 0; ; ) {
    if (record[at] !== '"') {
      const next = record.indexOf(separator, at);
      const field = record.slice(at, next < 0 ? undefined : next);
      if (field.includes('"')) return "A field with a quote in it must be in quotes, and the quote doubled.";
      fields.push(unguarded(field));
      if (next < 0) return fields;
      at = next + 1;
      continue;
    }
    const end = closingQuote(record, at + 1);
    if (end < 0) return notClosed;
    fields.push(unguarded(record.slice(at + 1, end).replaceAll('""', '"')));
    if (end + 1 === record.length) return fields;
    if (record[end + 1] !== separator)
      return `A quote that is closed must be followed by a ${titles[separator] ?? "separator"}.`;
    at = end + 2;
  }
}

/** What is wrong with a record whose last field never ends. */
export const notClosed = "A quote is opened and not closed.";

/** What stands between fields: a comma, or what spreadsheets write where the comma is in numbers. */
export const separators = [",", ";", "\t"] as const;

const titles: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab" };

/** Where the quote that ends a field is; -1 if it is not closed. */
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** A record as RFC 4180 has it, with its end. */
export function csvRecord(fields: readonly (string | number | bigint | null | undefined)[]): string {
  return `${fields.map((field) => (typeof field === "string" ? quoted(guarded(field)) : String(field ?? ""))).join(",")}\r\n`;
}

function quoted(field: string): string {
  return /[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/**
 * Spreadsheets run a text that begins like a formula, in quotes or not, so it gets an apostrophe before it, as OWASP advises
 * and most exporters do. Reading takes it off again. So that this gives back every text, one that begins with apostrophes and then
 * like a formula gets one more. Numbers are left alone: they do no harm.
 */
function guarded(field: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(field) ? `'${field}` : field;
}

function unguarded(field: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(field) ? field.slice(1) : field;
}
