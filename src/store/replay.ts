import type { Awaitable } from "../base/awaitable.ts";
import type { Int64 } from "../base/int64.ts";
import { parseJson, toJson } from "../base/json.ts";
import type { Category } from "../domain/category.ts";
import { type EventType, type SubjectKind, subjectKinds } from "../domain/event.ts";
import { type Key, presentKey } from "../domain/key.ts";
import { type Order, presentOrder } from "../domain/order.ts";
import { type Inventory, type Pet, petStatuses } from "../domain/pet.ts";
import { type Finding, maxShownItems, toFinding } from "./check.ts";
import type { ResourceTable } from "./resource-table.ts";
import { categoryTable, keyTable, orderTable, petTable } from "./tables.ts";

/** A store whose state is compared with its event log, page by page, because other processes may write to the store meanwhile. */
export interface ReplaySource {
  readExtent(): Awaitable<LogExtent>;
  findOldest(): Awaitable<number>;
  /** Returns all events by subject and position, and an empty page at the end. `readCurrent` reads the same snapshot as the last page. */
  readEvents(): AsyncIterable<readonly ReplayedEvent[]>;
  readCurrent(kind: ReplayedKind, ids: readonly Int64[]): Awaitable<readonly Item[]>;
  findUnlogged(kind: ReplayedKind): Awaitable<readonly Int64[]>;
}

export interface LogExtent {
  /** Position of the oldest event; 0 for an empty log. */
  readonly oldest: number;
  readonly newest: number;
  readonly count: number;
  /** True if the store is older than its event log, which then has a mark at position 0. */
  readonly isOlderThanLog: boolean;
  readonly inventory: Inventory;
}

export interface ReplayedEvent {
  /** Null for an event that has no position yet; such events are newer than all others. */
  readonly position: number | null;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
}

export type Item = Pet | Order | Category | Key;

/** Webhooks are not replayed: the event log has only one type of event about them. */
export type ReplayedKind = Exclude<SubjectKind, "webhooks">;
export const replayedTables: Readonly<Record<ReplayedKind, ResourceTable>> = {
  pets: petTable,
  orders: orderTable,
  categories: categoryTable,
  keys: keyTable,
};
const replayedKinds = subjectKinds.filter((kind): kind is ReplayedKind => kind !== "webhooks");

/** Rebuilds a store from its event log, one subject at a time to save memory, and reports the differences. */
export async function replay(source: ReplaySource): Promise<Finding[]> {
  const extent = await source.readExtent();
  const replayed = new Replay(source, extent);
  for await (const events of source.readEvents()) await replayed.apply(events);
  const { oldest, newest, count } = extent;
  const gaps = count === 0 || count === newest - oldest + 1 ? [] : [`${count} from position ${oldest} to ${newest}`];
  const { inconsistencies, differences, inventory } = replayed;
  return [
    toFinding("no event is missing between the first and the last", gaps, (list) => `There are ${list}.`),
    toFinding("every event follows from the one before it", inconsistencies, (list) => `These do not: ${list}.`),
    toFinding("the last event of each resource agrees with the store", differences, (list) => `These differ: ${list}.`),
    ...(await checkCompleteness(source, inventory, extent)),
  ];
}

function explainGap(oldest: number, { isOlderThanLog }: LogExtent): string | undefined {
  const compared = "so only resources with events were compared";
  if (isOlderThanLog) return `The store is older than its log, ${compared}.`;
  return oldest > 1 ? `Events before position ${oldest} were deleted, ${compared}.` : undefined;
}

/** Checks the rules that hold only for an event log that goes back to the creation of the store. */
async function checkCompleteness(source: ReplaySource, inventory: Inventory, extent: LogExtent): Promise<Finding[]> {
  const loggedRule = "every resource in the store has an event";
  const inventoryRule = "the inventory agrees with the events";
  const unlogged: string[] = [];
  for (const kind of replayedKinds) {
    unlogged.push(...(await source.findUnlogged(kind)).map((id) => `${kind}/${id}`));
  }
  // Reads the oldest position again, because events may have been deleted meanwhile.
  const gap = explainGap(await source.findOldest(), extent);
  if (gap !== undefined) return [loggedRule, inventoryRule].map((rule) => ({ rule, problem: undefined, skipped: gap }));
  const wrong = petStatuses
    .filter((status) => extent.inventory[status] !== inventory[status])
    .map((status) => `${status}: ${extent.inventory[status]}, but ${inventory[status]} by the events`);
  return [
    toFinding(loggedRule, unlogged.slice(0, maxShownItems), (list) => `Without an event: ${list}.`),
    toFinding(inventoryRule, wrong, (list) => `The inventory has ${list}.`),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

interface Subject {
  readonly name: string;
  /** The state after the events so far: null if the subject does not exist; undefined if that is unknown. */
  state: Fields | null | undefined;
  /** The state at the end of the extent, which is compared with the inventory. */
  stateAtEnd: Fields | null | undefined;
  position: number;
}

class Replay {
  readonly inconsistencies: string[] = [];
  readonly differences: string[] = [];
  readonly inventory = { available: 0, pending: 0, sold: 0 };
  #subject: Subject | undefined;

  constructor(
    readonly source: ReplaySource,
    readonly extent: LogExtent,
  ) {}

  /** Applies a page of events. An empty page ends the last subject. */
  async apply(events: readonly ReplayedEvent[]): Promise<void> {
    const oldest = await this.source.findOldest();
    const ended: Subject[] = [];
    let subject = this.#subject;
    // Events of a subject that continues on this page may have been deleted since the last page.
    if (subject && oldest > subject.position) subject.state = undefined;
    for (const event of events.filter((one) => !one.subject.startsWith("webhooks/"))) {
      if (event.subject !== subject?.name) {
        if (subject) ended.push(subject);
        const state = explainGap(oldest, this.extent) === undefined ? null : undefined;
        subject = { name: event.subject, state, stateAtEnd: null, position: 0 };
      }
      if (!applyEvent(subject, event, this.extent.newest)) addShown(this.inconsistencies, describeEvent(event));
    }
    if (events.length === 0 && subject) ended.push(subject);
    this.#subject = subject;
    // After an unreadable event, which is reported as an inconsistency, there is nothing to compare.
    await this.#compare(ended.filter(({ state }) => state !== undefined));
  }

  async #compare(subjects: readonly Subject[]): Promise<void> {
    for (const kind of replayedKinds) {
      const ofKind = subjects.filter(({ name }) => name.startsWith(`${kind}/`));
      if (ofKind.length === 0) continue;
      const ids = ofKind.map(({ name }) => BigInt(name.slice(kind.length + 1)));
      const items = await this.source.readCurrent(kind, ids);
      const current = new Map(items.map((item) => [`${kind}/${item.id}`, toEventData(kind, item)]));
      for (const { name, state = null, stateAtEnd } of ofKind) {
        const status = petStatuses.find((one) => kind === "pets" && one === stateAtEnd?.["status"]);
        if (status) this.inventory[status]++;
        if (!areSame(state, current.get(name) ?? null)) addShown(this.differences, name);
      }
    }
  }
}

function addShown(list: string[], item: string): void {
  if (list.length < maxShownItems) list.push(item);
}

/** Applies an event. Returns false if the event is unreadable, or does not follow from the state before. */
function applyEvent(target: Subject, { position, id, type, subject, body }: ReplayedEvent, newest: number): boolean {
  const { state } = target;
  const event = parseBody(body);
  const isConsistent = event?.id === id && event.type === type && event.subject === subject;
  const isReadable = isConsistent && subject.slice(subject.indexOf("/") + 1) === String(event.data["id"]);
  target.state = isReadable ? (deletions.has(type) ? null : event.data) : undefined;
  target.position = position ?? Number.POSITIVE_INFINITY;
  if (position === null || position <= newest) target.stateAtEnd = target.state;
  return isReadable && (state === undefined || areSame(state, findStateBefore(event)));
}

function describeEvent({ type, subject, position }: ReplayedEvent): string {
  return `${type} of ${subject} at ${position === null ? "the end" : `position ${position}`}`;
}

interface EventBody extends Pick<ReplayedEvent, "id" | "type" | "subject"> {
  readonly data: Fields;
  readonly previous: Fields | null;
}

function parseBody(text: string): EventBody | undefined {
  try {
    const body = parseJson(text) as EventBody;
    const { subject, data, previous } = body;
    if (!subject.startsWith("keys/")) return body;
    return { ...body, data: pickStableFields(data), previous: previous && pickStableFields(previous) };
  } catch {
    return undefined;
  }
}

function findStateBefore({ type, data, previous }: EventBody): Fields | null {
  return deletions.has(type) ? data : previous && { ...data, ...previous };
}

const deletions: ReadonlySet<EventType> = new Set(["pet.deleted", "category.unnamed"]);

function toEventData(kind: ReplayedKind, item: Item): Fields {
  if (kind === "orders") return { ...presentOrder(item as Order) };
  if (kind === "keys") return pickStableFields({ ...presentKey(item as Key, 0) });
  return { ...item };
}

/** Returns the fields of a key that neither time nor use changes. */
function pickStableFields({ state: _state, lastUsedAt: _lastUsedAt, ...fields }: Fields): Fields {
  return fields;
}

/** Compares two states. A missing field counts as null, because older events lack newer fields. */
function areSame(one: Fields | null, other: Fields | null): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => toJson(one[name] ?? null) === toJson(other[name] ?? null));
}
