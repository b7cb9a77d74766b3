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

/** A store whose state is compared with its event log. Other processes may write to it, so each page of events is a separate snapshot. */
export interface ReplaySource {
  readExtent(): Awaitable<LogExtent>;
  /** Returns the position of the oldest event that has not been deleted yet. */
  findOldest(): Awaitable<number>;
  /**
   * Returns all events, ascending by subject and by position within a subject, and an empty page at the end. While a page is processed,
   * `readCurrent` reads the same snapshot as the page.
   */
  readEvents(): AsyncIterable<readonly ReplayedEvent[]>;
  readCurrent(kind: ReplayedKind, ids: readonly Int64[]): Awaitable<readonly Item[]>;
  /** Returns the ids of some resources that have no event. */
  findUnlogged(kind: ReplayedKind): Awaitable<readonly Int64[]>;
}

export interface LogExtent {
  /** Position of the oldest event; 0 for an empty log. */
  readonly oldest: number;
  readonly newest: number;
  readonly count: number;
  /** True if the store is older than its event log, which then has a mark at position 0. */
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
  return [
    toFinding(
      "no event is missing between the first and the last",
      extent.count === 0 || extent.count === extent.newest - extent.oldest + 1 ? [] : ["missing"],
      () => `There are ${extent.count} from position ${extent.oldest} to ${extent.newest}.`,
    ),
    toFinding("every event follows from the one before it", replayed.misfits, (list) => `These do not: ${list}.`),
    toFinding(
      "the last event of each resource agrees with the store",
      replayed.differences,
      (list) => `These differ: ${list}.`,
    ),
    ...(await checkCompleteness(source, replayed, extent)),
  ];
}

/** Returns the reason why the event log does not go back to the creation of the store, as a sentence; undefined if it does go back that far. */
function explainGap(oldest: number, { isLate }: LogExtent): string | undefined {
  const compared = "so only resources with events were compared";
  if (isLate) return `The store is older than its log, ${compared}.`;
  return oldest > 1 ? `Events before position ${oldest} were deleted, ${compared}.` : undefined;
}

/** Checks the rules that hold only for an event log that goes back to the creation of the store. */
async function checkCompleteness(source: ReplaySource, { inventory }: Replay, extent: LogExtent): Promise<Finding[]> {
  const logged = "every resource in the store has an event";
  const sameInventory = "the inventory agrees with the events";
  const unlogged: string[] = [];
  for (const kind of replayedKinds) {
    if (explainGap(await source.findOldest(), extent) !== undefined) break;
    unlogged.push(...(await source.findUnlogged(kind)).map((id) => `${kind}/${id}`));
  }
  // Events may have been deleted in the meantime.
  const gap = explainGap(await source.findOldest(), extent);
  if (gap !== undefined) return [logged, sameInventory].map((rule) => ({ rule, problem: undefined, skipped: gap }));
  const wrong = petStatuses
    .filter((status) => extent.inventory[status] !== inventory[status])
    .map((status) => `${status}: ${extent.inventory[status]}, but ${inventory[status]} by the events`);
  return [
    toFinding(logged, unlogged.slice(0, maxShown), (list) => `Without an event: ${list}.`),
    toFinding(sameInventory, wrong, (list) => `The inventory has ${list}.`),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

/** The state of a subject after some events: null if it does not exist; undefined if that is unknown. */
type State = Fields | null | undefined;

class Replay {
  readonly misfits: string[] = [];
  readonly differences: string[] = [];
  readonly inventory: Record<keyof Inventory, number> = { available: 0, pending: 0, sold: 0 };
  #subject: string | undefined;
  #state: State;
  /** The state at the end of the extent, which is compared with the inventory. */
  #stateAtEnd: State;
  /** Position of the last event of the subject. */
  #position = 0;
  /** Subjects whose events are all applied, to be compared with the store together. */
  #done: { readonly subject: string; readonly state: Fields | null }[] = [];

  constructor(
    readonly source: ReplaySource,
    readonly extent: LogExtent,
  ) {}

  /** Applies a page of events. An empty page ends the last subject. */
  async apply(events: readonly ReplayedEvent[]): Promise<void> {
    const oldest = await this.source.findOldest();
    // Events of a subject that continues on this page may have been deleted since the last page.
    if (oldest > this.#position) this.#state = undefined;
    for (const event of events) {
      if (event.subject.startsWith("webhooks/")) continue;
      if (event.subject !== this.#subject) {
        this.#endSubject();
        this.#subject = event.subject;
        this.#state = explainGap(oldest, this.extent) === undefined ? null : undefined;
        this.#stateAtEnd = null;
      }
      this.#applyEvent(event);
    }
    if (events.length === 0) this.#endSubject();
    await this.#compare();
  }

  #applyEvent({ position, id, type, subject, body }: ReplayedEvent): void {
    const parsed = parseBody(body);
    const isConsistent =
      parsed?.id === id &&
      parsed.type === type &&
      parsed.subject === subject &&
      subject.slice(subject.indexOf("/") + 1) === String(parsed.data["id"]);
    const step = parsed && isConsistent ? nextState(type, parsed.data, parsed.previous, this.#state) : undefined;
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
    // An unreadable event leaves nothing to compare, and is reported as a misfit.
    if (subject === undefined || state === undefined) return;
    const status = petStatuses.find((one) => one === this.#stateAtEnd?.["status"]);
    if (status && subject.startsWith("pets/")) this.inventory[status]++;
    this.#done.push({ subject, state });
  }

  async #compare(): Promise<void> {
    const done = this.#done;
    this.#done = [];
    for (const kind of replayedKinds) {
      const ofKind = done.filter(({ subject }) => subject.startsWith(`${kind}/`));
      if (ofKind.length === 0) continue;
      const ids = ofKind.map(({ subject }) => BigInt(subject.slice(kind.length + 1)));
      const items = await this.source.readCurrent(kind, ids);
      const current = new Map(items.map((item) => [`${kind}/${item.id}`, toEventData(kind, item)]));
      for (const { subject, state } of ofKind) {
        if (this.differences.length < maxShown && !areSame(state, current.get(subject) ?? null)) {
          this.differences.push(subject);
        }
      }
    }
  }
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

/** Returns the state after an event, and whether the event follows from the state before. */
function nextState(
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
