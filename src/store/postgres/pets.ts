import { fillEventTemplate, newEventId, type Origin, petCreated, toEventTemplate } from "../../domain/event.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import { StillInProgress } from "../../domain/idempotency.ts";
import type { NewPet, Pet } from "../../domain/pet.ts";
import { toIdRanges, withIds } from "../id-ranges.ts";
import { newPetTuple, petTable } from "../tables.ts";
import type { WriteMetrics } from "../telemetry.ts";
import { type Outcome, WriteQueue } from "../write-queue.ts";
import { RuleBroken, togetherOrAlone } from "./errors.ts";
import { batchSubject, idIn, idMark, maxBatchEvents } from "./events/event-rows.ts";
import { type EventSequencer, type Turn, turnInQuiet, turnToSequence } from "./events/event-sequencer.ts";
import { appliedOnStandbys, arrayOf, type Parameter, type Position, positionOf, type Query } from "./query.ts";
import { foldingOf } from "./schema/fold-names.ts";
import type { Connection } from "./servers/connection.ts";
import type { Perform } from "./work.ts";

/** Queues creates, which one statement makes together. */
export function petCreates(
  primary: Connection,
  isAppliedOnStandbys: boolean,
  sequencer: EventSequencer,
  metrics: WriteMetrics,
): WriteQueue<Creation, CreatedPet> {
  const durability = isAppliedOnStandbys ? appliedOnStandbys : "";
  return new WriteQueue((batch) => createTogether(primary, batch, sequencer, durability), metrics);
}

export interface Creation {
  readonly pet: NewPet;
  readonly origin: Origin;
}

/** An animal, and a position in the WAL shortly before that of its commit. */
export interface CreatedPet {
  readonly pet: Pet;
  readonly position: Position;
}

export async function insertPet(query: Query, creation: Creation): Promise<Pet> {
  const [created] = (await insertPets(query, [creation], undefined)).created;
  if (!created) throw new Error("An insert returned no id.");
  return created.pet;
}

/** Adds animals in one transaction. If another instance appends to the log meanwhile, it is made again, with the events in the inbox. */
export async function createAll(
  first: Perform,
  again: Perform,
  pets: readonly NewPet[],
  origin: Origin,
  sequencer: EventSequencer,
  metrics: WriteMetrics,
): Promise<Pet[]> {
  return await sequencer.takeTurn(async (turn) => {
    const batch = pets.map((pet) => ({ pet, origin }));
    const done: { insertion?: Insertion } = {};
    const insert = (perform: Perform, turnThen: Turn | undefined) =>
      perform(
        async (query) => {
          done.insertion = await insertPets(query, batch, turnThen);
          return toIdRanges(done.insertion.created.map(({ pet }) => pet.id));
        },
        async () => done.insertion?.isSequenced === true && (await turn?.isHeldUp()) === true,
      );
    const ids = await insert(first, turn)
      .catch((error: Error) => {
        if (error instanceof RuleBroken) return insert(again, undefined);
        throw error;
      })
      .catch((error: Error) => {
        // The commit may have succeeded, unless it was not tried.
        if (!(error instanceof StillInProgress)) sequencer.soon();
        throw error;
      });
    const { insertion } = done;
    if (insertion) {
      metrics.observeBatch(pets.length);
      if (turn && insertion.isSequenced) sequencer.hasSequenced(turn, insertion.highest);
      else sequencer.soon();
    }
    return withIds(pets, ids);
  });
}

/**
 * The order of the rows is the order of their ids. With a turn, their events go into the log at once, behind those that wait in the
 * inbox, unless these are many or another instance is appending; otherwise, they go into the inbox. The statement for an empty inbox
 * does the same as the general one, but writes to two tables instead of four: without it, a create took 1.2 to 1.4 times as long at 1 to
 * 16 connections (November 2026, two cores).
 */
async function insertPets(
  query: Query,
  batch: readonly Creation[],
  turn: Turn | undefined,
  also = "",
): Promise<Insertion> {
  const eventIds = batch.map(newEventId);
  const values = batch.map(({ pet }) => [...newPetTuple.pack(pet), foldUnlessAscii(pet.name)]);
  const columns = insertedTypes.map((type, column) => {
    const ofColumn = values.map((row) => row[column] ?? null);
    return arrayOf(ofColumn, type);
  });
  const pets = [
    ...columns,
    // One text needs no escapes, as an array would: JSON has neither line breaks nor other control characters.
    batch
      .map(({ pet, origin }, index) =>
        fillEventTemplate(toEventTemplate(eventIds[index] ?? "", petCreated(pet), origin), idMark),
      )
      .join("\n"),
  ];
  const insert = async (text: string, ...others: Parameter[]) =>
    insertionOf(batch, await query<InsertionRow>(text, [...pets, ...others]));
  const times = batch.map(({ origin }) => origin.at);
  const { schema } = query;
  if (!turn) return await insert(intoInbox(schema, also), arrayOf(times, "INT8"));
  if (turn.isQuiet && batch.length <= maxBatchEvents) {
    const last = [eventIds.at(-1) ?? "", times.at(-1) ?? 0, batch.length];
    const inQuiet = await insert(intoQuietLog(schema, also, batch.length === 1), turn.floor, ...last, turn.server);
    if (inQuiet.isSequenced) return inQuiet;
  }
  return await insert(intoLog(schema, also), arrayOf(times, "INT8"), turn.floor, turn.server);
}

interface Insertion {
  readonly created: readonly CreatedPet[];
  /** True if their events are in the log, with those that were in the inbox up to the highest number there. */
  readonly isSequenced: boolean;
  readonly highest: number;
}

/** One row for all, because each costs. */
interface InsertionRow {
  /** Ascending, in braces; null if none was added. */
  readonly ids: string | null;
  readonly position: string;
  readonly isSequenced: boolean;
  readonly highest: string | null;
}

function insertionOf(batch: readonly Creation[], [row]: readonly InsertionRow[]): Insertion {
  if (!row) throw new Error("An insert returned nothing.");
  const position = positionOf(row.position);
  const ids = row.ids?.slice(1, -1).split(",");
  const created = batch.map(({ pet }, index) => ({ pet: { id: Number(ids?.[index]), ...pet }, position }));
  return { created: ids ? created : [], isSequenced: row.isSequenced, highest: Number(row.highest ?? 0) };
}

function intoInbox(schema: string, also: string): string {
  return `WITH turn AS (SELECT false AS is_ours), ${added(schema, also)}, ${told}, ${logged(schema)} ${outcome("NULL")}`;
}

function intoLog(schema: string, also: string): string {
  return `WITH ${turnToSequence(schema, other(2), other(3))}, ${added(schema, also)}, ${told}, ${logged(schema)}, appended AS (
       INSERT INTO ${schema}.events (position, size, id, type, subject, at, body)
       SELECT (SELECT newest FROM turn) + row_number() OVER (ORDER BY number), 1, id, type, subject, at, body FROM moved
       UNION ALL
       SELECT (SELECT newest + (SELECT count(*) FROM moved) FROM turn) + place, 1, id, type, subject, at, body
       FROM told WHERE ${isOurs}
     ) ${outcome("(SELECT max(number) FROM moved)")}`;
}

/** Adds none without a turn. Their events are one row of the log, unless another instance got some of the ids in between. */
function intoQuietLog(schema: string, also: string, isAlone: boolean): string {
  const [floor, eventId, at, count, server] = [1, 2, 3, 4, 5].map(other) as [string, string, string, string, string];
  const areConsecutive = `ids[${count}::integer] - ids[1] < ${count}::integer`;
  const batched = `SELECT newest + 1, ${count}::integer, ${eventId}::text, 'pet.created', ${batchSubject("ids[1]::text")}, ${at}::bigint, ${bodies}::text
       FROM ids, turn WHERE is_ours AND ${areConsecutive}
       UNION ALL
       SELECT (SELECT newest FROM turn) + place, 1, ${idIn("line")}, 'pet.created', 'pets/' || pet_id, ${at}::bigint, line
       FROM unnest((SELECT ids FROM ids), string_to_array(${bodies}, E'\\n')) WITH ORDINALITY AS new (pet_id, line, place)
       WHERE ${isOurs} AND NOT (SELECT ${areConsecutive} FROM ids)`;
  const alone = `SELECT newest + 1, ${count}::integer, ${eventId}::text, 'pet.created', 'pets/' || ids[1], ${at}::bigint, ${bodies}::text
       FROM ids, turn WHERE is_ours`;
  return `WITH ${turnInQuiet(schema, floor, server)}, ${added(schema, also, `WHERE ${isOurs}`)}, appended AS (
       INSERT INTO ${schema}.events (position, size, id, type, subject, at, body)
       ${isAlone ? alone : batched}
     ) ${outcome("NULL")}`;
}

/** The inserted columns, whose values are the first parameters, one array each; the bodies of the events follow, in one text. */
const insertedColumns = [...newPetTuple.columns, "folded_name"];
const insertedTypes = insertedColumns.map((column) =>
  petTable.columns.some(([name, type]) => name === column && type === "integer") ? "INT8" : "TEXT",
);
const bodies = `$${insertedColumns.length + 1}`;

/** Returns the place of a parameter after the bodies, counted from 1. */
function other(place: number): string {
  return `$${insertedColumns.length + 1 + place}`;
}

const isOurs = "(SELECT is_ours FROM turn)";

function added(schema: string, also: string, condition = ""): string {
  return `added AS (
       INSERT INTO ${schema}.pets (${insertedColumns.join(", ")}, folding)
       SELECT ${insertedColumns.join(", ")}, ${foldingOf("name", "folded_name")}
       FROM unnest(${insertedTypes.map((type, index) => `$${index + 1}::${type}[]`).join(", ")})
              WITH ORDINALITY AS new (${insertedColumns.join(", ")}, place)${condition ? "" : ", turn"}${also && `, ${also}`}
       ${condition} ORDER BY place
       RETURNING id
     ), ids AS MATERIALIZED (
       SELECT array_agg(id ORDER BY id) AS ids FROM added
     )`;
}

const told = `told AS NOT MATERIALIZED (
       SELECT place, ${idIn("body")} AS id, 'pet.created' AS type, 'pets/' || pet_id AS subject, at,
              replace(body, '${idMark}', pet_id::text) AS body
       FROM unnest((SELECT ids FROM ids), ${other(1)}::bigint[], string_to_array(${bodies}, E'\\n'))
         WITH ORDINALITY AS new (pet_id, at, body, place)
     )`;

const logged = (schema: string) => `logged AS (
       INSERT INTO ${schema}.event_inbox (id, type, subject, at, body)
       SELECT id, type, subject, at, body FROM told WHERE NOT ${isOurs} ORDER BY place
     )`;

function outcome(highest: string): string {
  return `SELECT ids::text AS ids, pg_current_wal_insert_lsn() AS position, is_ours AS "isSequenced", ${highest} AS highest
     FROM ids, turn`;
}

/**
 * One statement adds all. If a rule of a table is broken, another instance may have appended to the log, so it is made again with the
 * events in the inbox; if a rule is still broken, each create is made alone, so that only the culprit fails.
 */
async function createTogether(
  primary: Connection,
  batch: readonly Creation[],
  sequencer: EventSequencer,
  durability: string,
): Promise<Outcome<CreatedPet>[]> {
  try {
    return await sequencer.takeTurn(async (turn) => {
      const query = primary.queryLeaving(turn?.isHeldUp);
      const { created, isSequenced, highest } = await insertPets(query, batch, turn, durability);
      if (turn && isSequenced) sequencer.hasSequenced(turn, highest);
      else sequencer.soon();
      return created.map((result) => ({ result }));
    });
  } catch (error) {
    if (!(error instanceof RuleBroken)) {
      // The commit may have succeeded.
      sequencer.soon();
      throw error;
    }
    const create = async (some: readonly Creation[]) =>
      (await insertPets(primary.query, some, undefined, durability)).created;
    return await togetherOrAlone(batch, create).finally(() => sequencer.soon());
  }
}
