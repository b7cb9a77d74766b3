import { type EventType, eventIdLength, type LoggedEvent } from "../../../domain/event.ts";

/**
 * Maximum number of events in a batch. A row of the event log is one event or a batch: the events of animals with consecutive ids that
 * were created together. One row per event would more than double the cost of a create. A batch has the position of its first event, the
 * id of its last event, a subject of its own, and a body with one line per event, in which `idSlot` stands for the id of the animal.
 */
export const maxBatchEvents = 128;

export const idSlot = "\u0001";

/**
 * Returns SQL for the subject of a batch. The first id is zero-padded so that subjects sort by it: only the last batch whose first id is
 * at most an animal's id can contain the animal's event.
 */
export function batchSubject(firstId: string): string {
  return `'${batchKind}/' || lpad(${firstId}, ${idDigits}, '0')`;
}

const batchKind = "created";
const idDigits = String(Number.MAX_SAFE_INTEGER).length;

/** Returns the range of subjects of the batches that may contain an animal's event; undefined for other subjects. */
export function batchRange(subject: string): readonly [lowest: string, highest: string] | undefined {
  const [, id] = /^pets\/(\d+)$/.exec(subject) ?? [];
  if (id === undefined || id.length > idDigits) return undefined;
  return [`${batchKind}/`, `${batchKind}/${id.padStart(idDigits, "0")}`];
}

export function inBatchCondition(schema: string, petId: string): string {
  return `coalesce((
       SELECT ${firstIdOfBatch} + size > ${petId} FROM ${schema}.events
       WHERE subject >= '${batchKind}/' AND subject <= ${batchSubject(`${petId}::text`)} ORDER BY subject DESC LIMIT 1
     ), false)`;
}

const firstIdOfBatch = `substr(subject, ${batchKind.length + 2})::bigint`;

export const lastPosition = "position + size - 1";

/** SQL that counts the events in the body of a row. A check of the event log must not trust the column `size`. */
export const eventCount = "CASE size WHEN 1 THEN 1 ELSE cardinality(string_to_array(body, E'\\n')) END";

export function newestPosition(schema: string): string {
  return `coalesce((SELECT ${lastPosition} FROM ${schema}.events ORDER BY position DESC LIMIT 1), 0)`;
}

export function idIn(body: string): string {
  return `substr(${body}, ${idStart + 1}, ${eventIdLength})`;
}

const idStart = '{"id":"'.length;

export function idAtPosition(position: string): string {
  const line = `split_part(body, E'\\n', (${position} - position + 1)::integer)`;
  return `CASE ${position} WHEN ${lastPosition} THEN id ELSE ${idIn(line)} END`;
}

export const rowColumns = "position, size, id, events.type, subject, body";

export interface EventRow {
  readonly position: string;
  readonly size: number;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
}

/** Returns SQL for the first rows of a walk that together have `limit` events; `wanted` counts the events to read from a row. */
export function rowsUpTo(limit: string, walk: string, order = "", wanted = "size"): string {
  return `(
       SELECT * FROM (
         SELECT *, sum(${wanted}) OVER (ORDER BY position${order} ROWS UNBOUNDED PRECEDING) - ${wanted} AS before FROM (${walk}) AS walked
       ) AS counted WHERE before < ${limit}
     )`;
}

/** Splits a row into its events, and returns the wanted ones. For the server, splitting rows costs more than sending whole rows. */
export function splitRow(
  { position, size, id, type, subject, body }: EventRow,
  isWanted: (position: number, subject: string) => boolean,
): LoggedEvent[] {
  const first = Number(position);
  if (size === 1) {
    if (!isWanted(first, subject)) return [];
    return [{ position: first, id, type, subject, body: body.replaceAll(idSlot, subject.slice("pets/".length)) }];
  }
  const firstId = Number(subject.slice(batchKind.length + 1));
  return body.split("\n").flatMap((line, index) => {
    const petId = String(firstId + index);
    const event = { position: first + index, subject: `pets/${petId}` };
    if (!isWanted(event.position, event.subject)) return [];
    return [{ ...event, id: line.slice(idStart, idStart + eventIdLength), type, body: line.replaceAll(idSlot, petId) }];
  });
}

export function selectEvents(rows: string): string {
  return `SELECT position + place - 1 AS position, CASE size WHEN 1 THEN id ELSE ${idIn("line")} END AS id, type,
       CASE size WHEN 1 THEN subject ELSE 'pets/' || pet_id END AS subject, at, replace(line, '${idSlot}', pet_id) AS body
     FROM ${rows} AS rows,
       unnest(CASE size WHEN 1 THEN ARRAY[body] ELSE string_to_array(body, E'\\n') END) WITH ORDINALITY AS lines (line, place),
       LATERAL (
         SELECT CASE size WHEN 1 THEN substr(subject, ${"pets/".length + 1})
           ELSE (${firstIdOfBatch} + place - 1)::text END AS pet_id
       ) AS pets`;
}
