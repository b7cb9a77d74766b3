import type { LoggedEvent } from "../domain/event.ts";
import { cursorAfter, encodeEventCursor } from "../domain/event-cursor.ts";
import type { EventBatch } from "../operations/events/read-events.ts";

/** The events as they were logged, byte for byte. */
export function jsonOf({ events }: EventBatch): string {
  return `[${events.map(({ body }) => body).join(",")}]`;
}

/** `source` is the base path of the API. */
export function cloudEventsOf({ events }: EventBatch, source: string): string {
  return `[${events.map(({ body }) => cloudEventOf(body, source)).join(",")}]`;
}

/** What it is about is taken over as text, so that its integers stay exact. */
function cloudEventOf(body: string, source: string): string {
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
  const [data, previous] = partsOf(body);
  return `${JSON.stringify(attributes).slice(0, -1)},"data":{"current":${data},"previous":${previous}}}`;
}

/** Neither a name nor a request id can hold these texts, because quotes in them are escaped. */
function partsOf(body: string): [data: string, previous: string] {
  const data = body.indexOf(',"data":{') + ',"data":'.length;
  const previous = body.lastIndexOf(',"previous":');
  return [body.slice(data, previous), body.slice(previous + ',"previous":'.length, -1)];
}

/** Each event as a message of a stream. Many readers are sent the same. */
export function messagesOf(batch: EventBatch): Uint8Array {
  let bytes = messages.get(batch);
  if (bytes === undefined) {
    bytes = encoder.encode(batch.events.map(messageOf).join(""));
    messages.set(batch, bytes);
  }
  return bytes;
}

const messages = new WeakMap<EventBatch, Uint8Array>();
const encoder = new TextEncoder();

function messageOf({ position, id, type, body }: LoggedEvent): string {
  return `id: ${encodeEventCursor(cursorAfter(position, id))}\nevent: ${type}\ndata: ${body}\n\n`;
}
