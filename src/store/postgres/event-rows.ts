import { eventIdLength } from "../../domain/event.ts";

/**
 * A row of the log is one event, or a lot: the events of animals with consecutive ids that were created together, because a row
 * for each of them, with its indexes, costs a create more than all else that the log does. A lot has the position of its first
 * event, which all of them follow; the id of its last, so that nobody need look into a lot at the end of the log; a subject of its
 * own; and a line for each event, in which a mark stands for the id of the animal.
 */
export const mostInLot = 128;

/** JSON has no control characters. */
export const idMark = "\u0001";

/** The subject of a lot: made so that the lot of an animal is the last up to the one that would begin with it. */
export function lotSubject(firstId: string): string {
  return `'${lotKind}/' || lpad(${firstId}, ${idDigits}, '0')`;
}

const lotKind = "created";
const idDigits = String(Number.MAX_SAFE_INTEGER).length;

/** Where the subject of the lot of an animal lies, if there is one; undefined for whatever cannot be in a lot. */
export function lotRange(subject: string): readonly [lowest: string, highest: string] | undefined {
  const [, id] = /^pets\/(\d+)$/.exec(subject) ?? [];
  if (id === undefined || id.length > idDigits) return undefined;
  return [`${lotKind}/`, `${lotKind}/${id.padStart(idDigits, "0")}`];
}

/** Whether the creation of an animal is in a lot. */
export function isInLot(petId: string): string {
  return `coalesce((
       SELECT ${firstIdOfLot} + size > ${petId} FROM store.events
       WHERE subject >= '${lotKind}/' AND subject <= ${lotSubject(`${petId}::text`)} ORDER BY subject DESC LIMIT 1
     ), false)`;
}

const firstIdOfLot = `substr(subject, ${lotKind.length + 2})::bigint`;

/** The position of the last event of a row. */
export const lastPosition = "position + size - 1";

/** 0 if there is none. */
export const newestPosition = `coalesce((SELECT ${lastPosition} FROM store.events ORDER BY position DESC LIMIT 1), 0)`;

/** The id of the event whose text this is. */
export function idIn(text: string): string {
  return `substr(${text}, 8, ${eventIdLength})`;
}

/** A query for the single events of rows, as clients get them. */
export function eventsOf(rows: string): string {
  return `SELECT position + place - 1 AS position, CASE size WHEN 1 THEN id ELSE ${idIn("line")} END AS id, type,
       CASE size WHEN 1 THEN subject ELSE 'pets/' || pet_id END AS subject, at, replace(line, '${idMark}', pet_id) AS body
     FROM ${rows} AS rows,
       unnest(CASE size WHEN 1 THEN ARRAY[body] ELSE string_to_array(body, E'\\n') END) WITH ORDINALITY AS lines (line, place),
       LATERAL (
         SELECT CASE size WHEN 1 THEN substr(subject, ${"pets/".length + 1})
           ELSE (${firstIdOfLot} + place - 1)::text END AS pet_id
       ) AS pets`;
}
