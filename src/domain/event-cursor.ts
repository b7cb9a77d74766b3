import { hash } from "node:crypto";

/**
 * A place in the log of events as a token for clients: after which position to go on, and by what the event there is known.
 * So a log that was changed, because an older state of the store was restored, is not mistaken for the one that was read.
 */
export interface EventCursor {
  /** 0 before the first event. */
  readonly position: number;
  /** Of the event at that position. */
  readonly mark: string;
}

export const beforeFirst: EventCursor = { position: 0, mark: markOf("") };

/** Right after an event. */
export function cursorAfter(position: number, eventId: string): EventCursor {
  return { position, mark: markOf(eventId) };
}

export function isAfter({ mark }: EventCursor, eventId: string): boolean {
  return mark === markOf(eventId);
}

export function encodeEventCursor({ position, mark }: EventCursor): string {
  const head = `${version}${position.toString(radix)}.${mark}`;
  return `${head}${checkOf(head)}`;
}

/** Undefined for a token that was changed, or is none. */
export function decodeEventCursor(text: string): EventCursor | undefined {
  const [, head = "", digits = "", mark = "", check] =
    /^(1([0-9a-z]{1,11})\.([A-Za-z0-9_-]{10}))([A-Za-z0-9_-]{4})$/.exec(text) ?? [];
  if (check === undefined || check !== checkOf(head)) return undefined;
  const position = Number.parseInt(digits, radix);
  return Number.isSafeInteger(position) ? { position, mark } : undefined;
}

const version = "1";
const radix = 36;

/** 60 bits: no two events have the same by accident. */
function markOf(eventId: string): string {
  return hash("sha256", `animal-store event\n${eventId}`, "base64url").slice(0, 10);
}

/** Tells a slip from a log that has changed. */
function checkOf(head: string): string {
  return hash("sha256", `animal-store event cursor\n${head}`, "base64url").slice(0, 4);
}
