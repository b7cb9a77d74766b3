import type { LoggedEvent } from "../domain/event.ts";
import { cursorAfter, encodeEventCursor } from "../domain/event-cursor.ts";
import type { EventBatch } from "../operations/events/read-events.ts";

export function toJsonEvents({ events }: EventBatch): string {
  return `[${events.map(({ body }) => body).join(",")}]`;
}

export function toCloudEvents({ events }: EventBatch, source: string): string {
  return `[${events.map(({ body }) => toCloudEvent(body, source)).join(",")}]`;
}

/** Copies the data as text, so that its integers stay exact. */
function toCloudEvent(body: string, source: string): string {
  const { id, type, timestamp, subject, actor, request } = JSON.parse(body);
  const attributes = {
    specversion: "1.0",
    id,
    source,
    type,
    time: timestamp,
    subject,
    datacontenttype: "application/json",
    ...(actor.id !== null && { actorid: actor.id }),
    actorname: actor.name,
    ...(request !== null && { requestid: request }),
  };
  // A name or a request id contains neither `,"data":{` nor `,"previous":`, because JSON escapes quotes in strings.
  const dataStart = body.indexOf(',"data":{') + ',"data":'.length;
  const previousStart = body.lastIndexOf(',"previous":');
  const data = body.slice(dataStart, previousStart);
  const previous = body.slice(previousStart + ',"previous":'.length, -1);
  return `${JSON.stringify(attributes).slice(0, -1)},"data":{"current":${data},"previous":${previous}}}`;
}

/** Returns the events as messages of a stream, encoded once for all readers of the batch. */
export function toMessages(batch: EventBatch): Uint8Array {
  return encodedMessages.getOrInsertComputed(batch, ({ events }) => encoder.encode(events.map(toMessage).join("")));
}

const encodedMessages = new WeakMap<EventBatch, Uint8Array>();
const encoder = new TextEncoder();

function toMessage({ position, id, type, body }: LoggedEvent): string {
  return `id: ${encodeEventCursor(cursorAfter(position, id))}\nevent: ${type}\ndata: ${body}\n\n`;
}
