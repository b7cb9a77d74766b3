import { type Int64, toInt64 } from "../../domain/int64.ts";
import type { PageRequest } from "../../domain/page.ts";
import type { NewPet, Pet, PetFilter, PetStatus } from "../../domain/pet.ts";
import { columnsOf } from "../pet-filter.ts";
import type { PetStore } from "../store.ts";
import { type Outcome, WriteQueue } from "../write-queue.ts";
import { arrayOf, type Connection, type Parameter, type Query } from "./connection.ts";
import { RuleBroken } from "./errors.ts";

/** Writes go to the primary; `query` is for reads. */
export function petStore(primary: Connection, query: Query): PetStore & { drain(): Promise<void> } {
  const creates = new WriteQueue<NewPet, Pet>((batch) => createTogether(primary, batch));
  return {
    async list(filter, page) {
      const rows = await read(query, filter, page);
      if (rows.length <= page.limit) return { items: rows };
      rows.pop();
      return { items: rows, next: rows.at(-1)?.id };
    },
    async get(id) {
      const [pet] = await read(query, { id }, { limit: 1, after: 0 });
      return pet;
    },
    create: (pet) => creates.add(pet),
    drain: () => creates.drain(),
  };
}

/** One more than asked for tells whether there is a next page. */
async function read(query: Query, filter: PetFilter, { limit, after }: PageRequest): Promise<Pet[]> {
  const conditions = ["id > $1"];
  const parameters: Parameter[] = [after];
  for (const [column, value] of columnsOf(filter)) {
    parameters.push(String(value));
    conditions.push(`${column} = $${parameters.length}`);
  }
  parameters.push(limit + 1);
  const rows = await query<Row>(
    `SELECT id, name, category_id, status FROM pets WHERE ${conditions.join(" AND ")} ORDER BY id LIMIT $${parameters.length}`,
    parameters,
  );
  return rows.map(({ id, name, category_id, status }) => ({
    id: Number(id),
    name,
    categoryId: fromDigits(category_id),
    status,
  }));
}

/** One statement for all. If a rule of the table is broken, each is tried alone, so that only the culprit fails. */
async function createTogether(connection: Connection, batch: readonly NewPet[]): Promise<Outcome<Pet>[]> {
  try {
    const ids = await insert(connection, batch);
    return batch.map(({ name, categoryId, status }, index) => ({
      result: { id: ids[index] ?? Number.NaN, name, categoryId, status },
    }));
  } catch (error) {
    if (batch.length === 1 || !(error instanceof RuleBroken)) throw error;
    const outcomes: Outcome<Pet>[] = [];
    for (const pet of batch) {
      outcomes.push(...(await createTogether(connection, [pet]).catch((alone: Error) => [{ error: alone }])));
    }
    return outcomes;
  }
}

/** The order of the rows is the order of their ids. */
async function insert(connection: Connection, batch: readonly NewPet[]): Promise<number[]> {
  const rows = await connection.query<{ id: string }>(
    `INSERT INTO pets (name, category_id, status)
     SELECT name, category_id, status
     FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS new (name, category_id, status, place)
     ORDER BY place
     RETURNING id`,
    [
      arrayOf(
        batch.map(({ name }) => name),
        "TEXT",
      ),
      arrayOf(
        batch.map(({ categoryId }) => categoryId),
        "INT8",
      ),
      arrayOf(
        batch.map(({ status }) => status),
        "TEXT",
      ),
    ],
  );
  return rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly category_id: string;
  readonly status: PetStatus;
}

function fromDigits(digits: string): Int64 {
  return digits.length < 16 ? Number(digits) : toInt64(BigInt(digits));
}
