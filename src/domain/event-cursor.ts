import { hash } from "node:crypto";

/** A position in the event log, and a hash of the event's id there, which reveals that a restore has replaced the event. */
export interface EventCursor {
  /** 0 before the first event. */
  readonly position: number;
  readonly mark: string;
}

export const beforeFirst: EventCursor = { position: 0, mark: computeMark("") };

export function cursorAfter(position: number, eventId: string): EventCursor {
  return { position, mark: computeMark(eventId) };
}

export function isCursorAfter({ mark }: EventCursor, eventId: string): boolean {
  return mark === computeMark(eventId);
}

export function encodeEventCursor({ position, mark }: EventCursor): string {
  const head = `${version}${position.toString(radix)}.${mark}`;
  return `${head}${computeChecksum(head)}`;
}

export function decodeEventCursor(text: string): EventCursor | undefined {
  const [, head = "", digits = "", mark = "", checksum] =
    /^(1([0-9a-z]{1,11})\.([A-Za-z0-9_-]{10}))([A-Za-z0-9_-]{4})$/.exec(text) ?? [];
  if (checksum === undefined || checksum !== computeChecksum(head)) return undefined;
  const position = Number.parseInt(digits, radix);
  return Number.isSafeInteger(position) ? { position, mark } : undefined;
}

const version = "1";
const radix = 36;

/** Two events practically never have the same mark of 60 bits. */
function computeMark(eventId: string): string {
  return hash("sha256", `animal-store event\n${eventId}`, "base64url").slice(0, 10);
}

/** Without a checksum, a mistyped cursor would be mistaken for a cursor from before a restore. */
function computeChecksum(head: string): string {
  return hash("sha256", `animal-store event cursor\n${head}`, "base64url").slice(0, 4);
}
