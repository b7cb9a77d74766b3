import { type EventType, eventIdLength, type LoggedEvent } from "../../../domain/event.ts";

/**
 * A row of the log is one event, or a lot: the events of animals with consecutive ids that were created together, because a row
 * for each of them, with its indexes, costs a create more than all else that the log does. A lot has the position of its first
 * event, which all of them follow; the id of its last, so that nobody need look into a lot at the end of the log; a subject of its
 * own; and a line for each event, in which a mark stands for the id of the animal.
 */
export const maxBatchEvents = 128;

/** JSON has no control characters. */
export const idMark = "\u0001";

/** The subject of a lot: made so that the lot of an animal is the last up to the one that would begin with it. */
export function batchSubject(firstId: string): string {
  return `'${batchKind}/' || lpad(${firstId}, ${idDigits}, '0')`;
}

const batchKind = "created";
const idDigits = String(Number.MAX_SAFE_INTEGER).length;

/** Where the subject of the lot of an animal lies, if there is one; undefined for whatever cannot be in a lot. */
export function batchRange(subject: string): readonly [lowest: string, highest: string] | undefined {
  const [, id] = /^pets\/(\d+)$/.exec(subject) ?? [];
  if (id === undefined || id.length > idDigits) return undefined;
  return [`${batchKind}/`, `${batchKind}/${id.padStart(idDigits, "0")}`];
}

/** Whether the creation of an animal is in a lot. */
export function isInBatch(petId: string): string {
  return `coalesce((
       SELECT ${firstIdOfBatch} + size > ${petId} FROM store.events
       WHERE subject >= '${batchKind}/' AND subject <= ${batchSubject(`${petId}::text`)} ORDER BY subject DESC LIMIT 1
     ), false)`;
}

const firstIdOfBatch = `substr(subject, ${batchKind.length + 2})::bigint`;

/** The position of the last event of a row. */
export const lastPosition = "position + size - 1";

/** How many events a row has, for whoever does not trust its size. */
export const eventCount = "CASE size WHEN 1 THEN 1 ELSE cardinality(string_to_array(body, E'\\n')) END";

/** 0 if there is none. */
export const newestPosition = `coalesce((SELECT ${lastPosition} FROM store.events ORDER BY position DESC LIMIT 1), 0)`;

/** The id of the event whose text this is. */
export function idIn(text: string): string {
  return `substr(${text}, ${idStart + 1}, ${eventIdLength})`;
}

const idStart = '{"id":"'.length;

/** The id of the event of a row that is at a position of it. */
export function idAtPosition(position: string): string {
  const line = `split_part(body, E'\\n', (${position} - position + 1)::integer)`;
  return `CASE ${position} WHEN ${lastPosition} THEN id ELSE ${idIn(line)} END`;
}

/** What `rowsFor` and `eventsIn` need of a row. */
export const rowColumns = "position, size, id, events.type, subject, body";

export interface Row {
  readonly position: string;
  readonly size: number;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
}

/** Of rows that are walked in an order, the first that have as many events as are wanted; `counted` of each is what is wanted of it. */
export function rowsFor(most: string, walk: string, order = "", counted = "size"): string {
  return `(
       SELECT * FROM (
         SELECT *, sum(${counted}) OVER (ORDER BY position${order} ROWS UNBOUNDED PRECEDING) - ${counted} AS before FROM (${walk}) AS walked
       ) AS counted WHERE before < ${most}
     )`;
}

/** The events of a row that are wanted, as clients get them: here, because it costs the server more than to send the row. */
export function eventsIn(
  { position, size, id, type, subject, body }: Row,
  isWanted: (position: number, subject: string) => boolean,
): LoggedEvent[] {
  const first = Number(position);
  if (size === 1) {
    if (!isWanted(first, subject)) return [];
    return [{ position: first, id, type, subject, body: body.replaceAll(idMark, subject.slice("pets/".length)) }];
  }
  const firstId = Number(subject.slice(batchKind.length + 1));
  return body.split("\n").flatMap((line, index) => {
    const petId = String(firstId + index);
    const event = { position: first + index, subject: `pets/${petId}` };
    if (!isWanted(event.position, event.subject)) return [];
    return [{ ...event, id: line.slice(idStart, idStart + eventIdLength), type, body: line.replaceAll(idMark, petId) }];
  });
}

/** A query for the same, of all events of rows, for whoever wants them in another order or for a table. */
export function eventsOf(rows: string): string {
  return `SELECT position + place - 1 AS position, CASE size WHEN 1 THEN id ELSE ${idIn("line")} END AS id, type,
       CASE size WHEN 1 THEN subject ELSE 'pets/' || pet_id END AS subject, at, replace(line, '${idMark}', pet_id) AS body
     FROM ${rows} AS rows,
       unnest(CASE size WHEN 1 THEN ARRAY[body] ELSE string_to_array(body, E'\\n') END) WITH ORDINALITY AS lines (line, place),
       LATERAL (
         SELECT CASE size WHEN 1 THEN substr(subject, ${"pets/".length + 1})
           ELSE (${firstIdOfBatch} + place - 1)::text END AS pet_id
       ) AS pets`;
}
