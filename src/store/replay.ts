import type { Awaitable } from "../base/awaitable.ts";
import type { Int64 } from "../base/int64.ts";
import { parseJson, toJson } from "../base/json.ts";
import type { Category } from "../domain/category.ts";
import { type EventType, type SubjectKind, subjectKinds } from "../domain/event.ts";
import { type Key, presentKey } from "../domain/key.ts";
import { type Order, presentOrder } from "../domain/order.ts";
import { type Inventory, type Pet, petStatuses } from "../domain/pet.ts";
import { type Finding, maxShown, toFinding } from "./check.ts";
import type { ResourceTable } from "./resource-table.ts";
import { categoryTable, keyTable, orderTable, petTable } from "./tables.ts";

/** A store whose state is compared with its log. Others may write to it, so each page of events is of a moment of its own. */
export interface ReplaySource {
  readExtent(): Awaitable<LogExtent>;
  /** Position of the oldest event that has not been removed yet. */
  findOldest(): Awaitable<number>;
  /**
   * Every event, ascending by subject, those of one subject in the order in which they happened, and an empty page at the end. What
   * `current` returns while a page is processed is of the same moment as the page.
   */
  readEvents(): AsyncIterable<readonly ReplayedEvent[]>;
  readCurrent(kind: ReplayedKind, ids: readonly Int64[]): Awaitable<readonly Item[]>;
  /** Some ids without any event. */
  findUnlogged(kind: ReplayedKind): Awaitable<readonly Int64[]>;
}

export interface LogExtent {
  /** Positions; 0 while there is none. */
  readonly oldest: number;
  readonly newest: number;
  readonly count: number;
  /** True if the store is older than its log, which then begins with a mark. */
  readonly isLate: boolean;
  readonly inventory: Inventory;
}

export interface ReplayedEvent {
  readonly position: number | null;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
}

export type Item = Pet | Order | Category | Key;

/** The log has one type of event about webhooks: that one was disabled. */
export type ReplayedKind = Exclude<SubjectKind, "webhooks">;
export const replayedTables: Readonly<Record<ReplayedKind, ResourceTable>> = {
  pets: petTable,
  orders: orderTable,
  categories: categoryTable,
  keys: keyTable,
};
const replayedKinds = subjectKinds.filter((kind): kind is ReplayedKind => kind !== "webhooks");

/** Makes a store from its log, subject by subject so that little of it is in memory, and says where the two differ. */
export async function replay(source: ReplaySource): Promise<Finding[]> {
  const extent = await source.readExtent();
  const replayed = new Replayed(source, extent);
  for await (const events of source.readEvents()) await replayed.take(events);
  return [
    toFinding(
      "no event is missing between the first and the last",
      extent.count === 0 || extent.count === extent.newest - extent.oldest + 1 ? [] : ["missing"],
      () => `There are ${extent.count} from position ${extent.oldest} to ${extent.newest}.`,
    ),
    toFinding("every event follows from the one before it", replayed.misfits, (list) => `These do not: ${list}.`),
    toFinding("the last event of each is what the store has", replayed.differences, (list) => `Not so: ${list}.`),
    ...(await wholeFindings(source, replayed, extent)),
  ];
}

/** Why the log does not tell of everything from the beginning, in a sentence. */
function gapOf(oldest: number, { isLate }: LogExtent): string | undefined {
  const compared = "so only what has events was compared";
  if (isLate) return `The store is older than its log, ${compared}.`;
  return oldest > 1 ? `Events before position ${oldest} were removed, ${compared}.` : undefined;
}

/** Checks that need a complete log. */
async function wholeFindings(source: ReplaySource, { inventory }: Replayed, extent: LogExtent): Promise<Finding[]> {
  const everything = "nothing is in the store without an event";
  const sameInventory = "the inventory is what the events make it";
  const unlogged: string[] = [];
  for (const kind of replayedKinds) {
    if (gapOf(await source.findOldest(), extent) !== undefined) break;
    unlogged.push(...(await source.findUnlogged(kind)).map((id) => `${kind}/${id}`));
  }
  // Events may have been removed in the meantime.
  const gap = gapOf(await source.findOldest(), extent);
  if (gap !== undefined) {
    return [everything, sameInventory].map((rule) => ({ rule, problem: undefined, skipped: gap }));
  }
  const wrong = petStatuses
    .filter((status) => extent.inventory[status] !== inventory[status])
    .map((status) => `${status}: ${extent.inventory[status]}, but ${inventory[status]} by the events`);
  return [
    toFinding(everything, unlogged.slice(0, maxShown), (list) => `Without an event: ${list}.`),
    toFinding(sameInventory, wrong, (list) => `The inventory has ${list}.`),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

/** What the events have made of a subject: null if it is not there; undefined if that is not known. */
type State = Fields | null | undefined;

class Replayed {
  readonly misfits: string[] = [];
  readonly differences: string[] = [];
  readonly inventory: Record<keyof Inventory, number> = { available: 0, pending: 0, sold: 0 };
  #subject: string | undefined;
  #state: State;
  /** The state as of the end of the extent. */
  #stateAtEnd: State;
  /** Position of the last event of the subject. */
  #position = 0;
  /** Subjects whose events are all read, to be compared with the store many at a time. */
  #done: { readonly subject: string; readonly state: Fields | null }[] = [];

  constructor(
    readonly source: ReplaySource,
    readonly extent: LogExtent,
  ) {}

  /** An empty page ends the last subject. */
  async take(events: readonly ReplayedEvent[]): Promise<void> {
    const oldest = await this.source.findOldest();
    // Events of a subject that continues on this page may have been removed since the last page.
    if (oldest > this.#position) this.#state = undefined;
    for (const event of events) {
      if (event.subject.startsWith("webhooks/")) continue;
      if (event.subject !== this.#subject) {
        this.#endSubject();
        this.#subject = event.subject;
        this.#state = gapOf(oldest, this.extent) === undefined ? null : undefined;
        this.#stateAtEnd = null;
      }
      this.#apply(event);
    }
    if (events.length === 0) this.#endSubject();
    await this.#compare();
  }

  #apply(event: ReplayedEvent): void {
    const { position, id, type, subject, body } = event;
    const told = readBody(body);
    const isItself = told?.id === id && told.type === type && told.subject === subject && isAbout(subject, told.data);
    const step = told && isItself ? stepOf(type, told.data, told.previous, this.#state) : undefined;
    if (!step?.fits && this.misfits.length < maxShown) {
      this.misfits.push(`${type} of ${subject} at ${position === null ? "the end" : `position ${position}`}`);
    }
    this.#state = step?.state;
    this.#position = position ?? Number.POSITIVE_INFINITY;
    if (position === null || position <= this.extent.newest) this.#stateAtEnd = this.#state;
  }

  #endSubject(): void {
    const [subject, state] = [this.#subject, this.#state];
    this.#subject = undefined;
    // After an event that cannot be read, there is nothing to compare, and it was told of.
    if (subject === undefined || state === undefined) return;
    const isPet = subject.startsWith("pets/");
    const status = isPet ? petStatuses.find((one) => one === this.#stateAtEnd?.["status"]) : undefined;
    if (status) this.inventory[status]++;
    this.#done.push({ subject, state });
  }

  async #compare(): Promise<void> {
    const done = this.#done;
    this.#done = [];
    for (const kind of replayedKinds) {
      const ofKind = done.filter(({ subject }) => subject.startsWith(`${kind}/`));
      if (ofKind.length === 0) continue;
      const ids = ofKind.map(({ subject }) => BigInt(subject.slice(kind.length + 1)));
      const found = await this.source.readCurrent(kind, ids);
      const current = new Map(found.map((item) => [`${kind}/${item.id}`, shown(kind, item)]));
      for (const { subject, state } of ofKind) {
        if (this.differences.length < maxShown && !areSame(state, current.get(subject) ?? null)) {
          this.differences.push(subject);
        }
      }
    }
  }
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Fields;
  readonly previous: Fields | null;
}

function readBody(body: string): Told | undefined {
  try {
    const told = parseJson(body) as Told;
    const isKey = told.subject.startsWith("keys/");
    const { data, previous } = told;
    return isKey ? { ...told, data: lasting(data), previous: previous && lasting(previous) } : told;
  } catch {
    return undefined;
  }
}

function isAbout(subject: string, data: Fields): boolean {
  return subject.slice(subject.indexOf("/") + 1) === String(data["id"]);
}

/** Returns the state after an event, and whether the event follows from the state before. */
function stepOf(
  type: EventType,
  data: Fields,
  previous: Fields | null,
  before: State,
): { readonly state: Fields | null; readonly fits: boolean } {
  if (deletions.has(type)) return { state: null, fits: before === undefined || areSame(before, data) };
  const isCreation = previous === null && !changes.has(type);
  if (isCreation) return { state: data, fits: before === undefined || before === null };
  if (before === undefined) return { state: data, fits: previous !== null };
  return { state: data, fits: before !== null && previous !== null && areSame(before, { ...data, ...previous }) };
}

const deletions: ReadonlySet<EventType> = new Set(["pet.deleted", "category.unnamed"]);
const changes: ReadonlySet<EventType> = new Set([
  "pet.updated",
  "order.completed",
  "order.cancelled",
  "key.rotated",
  "key.revoked",
]);

/** Returns an item as events show it. */
function shown(kind: ReplayedKind, item: Item): Fields {
  if (kind === "orders") return { ...presentOrder(item as Order) };
  if (kind === "keys") return lasting({ ...presentKey(item as Key, 0) });
  return { ...item };
}

/** Returns the fields of a key that neither time nor use changes. */
function lasting({ state: _state, lastUsedAt: _lastUsedAt, ...fields }: Fields): Fields {
  return fields;
}

/** Compares two states. Events that are older than a field lack it, which counts as null. */
function areSame(one: Fields | null, other: Fields | null): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => toJson(one[name] ?? null) === toJson(other[name] ?? null));
}
