/** The fields of a record of CSV (RFC 4180), or what is wrong with it. */
export function fieldsOf(record: string): string[] | string {
  if (!record.includes('"')) return record.split(",");
  const fields: string[] = [];
  for (let at = 0; ; ) {
    if (record[at] !== '"') {
      const comma = record.indexOf(",", at);
      const field = record.slice(at, comma < 0 ? undefined : comma);
      if (field.includes('"')) return "A field with a quote in it must be in quotes, and the quote doubled.";
      fields.push(field);
      if (comma < 0) return fields;
      at = comma + 1;
      continue;
    }
    const end = closingQuote(record, at + 1);
    if (end < 0) return "A quote is opened and not closed.";
    fields.push(record.slice(at + 1, end).replaceAll('""', '"'));
    if (end + 1 === record.length) return fields;
    if (record[end + 1] !== ",") return "A quote that is closed must be followed by a comma.";
    at = end + 2;
  }
}

function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return -1;
}

/** A record as RFC 4180 has it, with its end. Nothing is altered, also not what a spreadsheet would take for a formula. */
export function csvRecord(fields: readonly (string | number | bigint)[]): string {
  return `${fields.map((field) => (typeof field === "string" ? quoted(field) : String(field))).join(",")}\r\n`;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
