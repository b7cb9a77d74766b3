import type { Int64 } from "../../../base/int64.ts";
import { bodyOf, type Change, type ChangeOf, newEventId, type Origin, partsOf } from "../../../domain/event.ts";
import { arrayOf, type Parameter, type Query } from "../query.ts";

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

function rowOf(change: Change, id: Int64, origin: Origin): (string | number)[] {
  const eventId = newEventId();
  return [eventId, change.type, `${change.kind}/${id}`, origin.at, bodyOf(partsOf(eventId, change, origin), id)];
}

const columns = "id, type, subject, at, body";
const columnTypes = ["text", "text", "text", "bigint", "text"] as const;
const arrayTypes = { text: "TEXT", bigint: "INT8" } as const;
