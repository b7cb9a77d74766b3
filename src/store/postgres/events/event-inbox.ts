import type { Int64 } from "../../../base/int64.ts";
import { bodyOf, type Change, type ChangeOf, newEventId, type Origin, partsOf } from "../../../domain/event.ts";
import { namesOf, pick } from "../../../domain/fields.ts";
import { columnsOf, type ResourceTable } from "../../resource-table.ts";
import type { Row, Source } from "../pages.ts";
import { arrayOf, type Parameter, type Query, toParameter } from "../query.ts";

/**
 * Makes statements say what they change: the events are written by the statement itself, because a statement of their own
 * would be one more round trip for every write.
 */
export class EventInbox {
  readonly #originNow: () => Origin;

  constructor(originNow: () => Origin) {
    this.#originNow = originNow;
  }

  /** Runs a statement that changes something, and logs the changes. */
  async run(query: Query, text: string, parameters: readonly Parameter[], changes: readonly ChangeOf[]): Promise<void> {
    if (changes.length === 0) {
      await query(text, parameters);
      return;
    }
    const origin = this.#originNow();
    const rows = changes.map((change) => rowOf(change, change.id, origin));
    const first = parameters.length + 1;
    await query(
      `WITH logged AS (
         INSERT INTO store.event_inbox (${columns})
         SELECT ${columns} FROM unnest(${columnTypes.map((type, index) => `$${first + index}::${type}[]`).join(", ")})
           WITH ORDINALITY AS new (${columns}, place) ORDER BY place
       ) ${text}`,
      [
        ...parameters,
        ...columnTypes.map((type, index) =>
          arrayOf(
            rows.map((row) => row[index] ?? ""),
            arrayTypes[type],
          ),
        ),
      ],
    );
  }

  /** Inserts a resource, to which the server gives the id, and logs that. Returns it as it was stored. */
  async insertItem<Item extends { readonly id: Int64 }>(
    query: Query,
    table: ResourceTable,
    { toItem, columns: selected }: Source<Item>,
    item: Omit<Item, "id">,
    change: Change,
  ): Promise<Item> {
    const [names, values] = insertedOf(table, item);
    const marks = names.map((_, index) => `$${index + 1}`);
    const text = `INSERT INTO store.${table.name} (${names.join(", ")}) VALUES (${marks.join(", ")}) RETURNING ${selected}`;
    const [row] = await this.insert<Row>(query, text, values, change);
    if (!row) throw new Error(`An insert into ${table.name} returned no row.`);
    return toItem(row);
  }

  /** Runs a statement that inserts a row and returns it, and logs the change, whose subject is the id that the row got. */
  async insert<Row>(query: Query, text: string, parameters: readonly Parameter[], change: Change): Promise<Row[]> {
    const origin = this.#originNow();
    const eventId = newEventId();
    const [head, middle, tail] = partsOf(eventId, change, origin);
    const own: Parameter[] = [eventId, change.type, `${change.kind}/`, origin.at, head, middle, tail];
    const at = (index: number) => `$${parameters.length + 1 + index}`;
    return await query<Row>(
      `WITH added AS (${text}), logged AS (
         INSERT INTO store.event_inbox (${columns})
         SELECT ${at(0)}, ${at(1)}, ${at(2)}::text || id, ${at(3)}, ${at(4)}::text || id || ${at(5)} || id || ${at(6)} FROM added
       ) SELECT * FROM added`,
      [...parameters, ...own],
    );
  }
}

/** Returns the columns of a new resource, to which the server gives the id, and their values. */
function insertedOf({ fields }: ResourceTable, item: object): [columns: string[], values: Parameter[]] {
  const { id: _id, ...given } = fields;
  const values: (Int64 | string | null)[] = Object.values(pick(item, namesOf(given) as never[]));
  return [columnsOf(given), values.map(toParameter)];
}

function rowOf(change: Change, id: Int64, origin: Origin): (string | number)[] {
  const eventId = newEventId();
  return [eventId, change.type, `${change.kind}/${id}`, origin.at, bodyOf(partsOf(eventId, change, origin), id)];
}

const columns = "id, type, subject, at, body";
const columnTypes = ["text", "text", "text", "bigint", "text"] as const;
const arrayTypes = { text: "TEXT", bigint: "INT8" } as const;
