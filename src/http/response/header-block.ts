export type HeaderFields = Readonly<Record<string, string>>;

/** Header fields that many replies share, with their text, which is made once. */
export class HeaderBlock {
  /** As they are sent. */
  readonly lines: string;

  constructor(readonly fields: HeaderFields) {
    this.lines = linesOf(fields);
  }
}

/** Those of the interface's answers, with what all of them carry. */
export function sharedHeaders(fields: HeaderFields): HeaderBlock {
  return new HeaderBlock({ ...fields, ...everywhere });
}

/** As they are sent, but for what the connection itself says. Throws if a value would be more than a value. */
export function linesOf(fields: HeaderFields): string {
  let lines = "";
  for (const name in fields) {
    if (name === "Connection") continue;
    const value = fields[name] ?? "";
    if (forbiddenCharacter.test(value)) throw new Error(`The header ${name} has a character that no header may have.`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

const forbiddenCharacter = /[^\t\x20-\x7e]/;

/** No browser is to take an answer of the API for anything but data. */
const everywhere = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};
