import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { TickQueue } from "../base/tick.ts";
import { describeCause } from "../domain/errors.ts";
import type { EventType, IndexedFilter, LoggedEvent } from "../domain/event.ts";
import type { DisabledReason, ParkedEvent } from "../domain/webhook.ts";
import type { LeasedWebhook, LogMark, Note, Store } from "../store/store.ts";
import { findGapReason, findLossReason } from "./event-log-check.ts";
import { ParkedEvents } from "./parked-events.ts";
import { computeRetryDelayMs } from "./retries.ts";
import { type Sender, selectSigningSecrets } from "./sender.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

export interface WorkerParts {
  readonly store: Store;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly note: Note;
  readonly owner: string;
  readonly responseTimeoutMs: number;
  /** True while no other process can deliver. */
  hasLease(): boolean;
}

/**
 * Delivers to one webhook while this process has its lease. A failed event is parked, and so are later events of its subject; events of
 * other subjects are still sent. If progress cannot be saved, the worker ends, and the next worker delivers the events again.
 */
export class WebhookWorker {
  readonly #secrets: readonly string[];
  readonly #parts: WorkerParts;
  readonly #filter: IndexedFilter;
  readonly #end = new AbortController();
  /** Only a running worker starts reads and deliveries. */
  #phase: "running" | "stopping" | "ended" = "running";
  /** True if the event log may have events that were not read yet. */
  #isBehind = true;
  readonly #parked: ParkedEvents;
  /** The events that were read, starting with the first that is neither delivered nor parked, in the order of the event log. */
  #queue: QueuedEvent[] = [];
  /** Deliveries by subject. */
  readonly #inFlight = new Map<string, Promise<void>>();
  #retriesInFlight = 0;
  #readTo: LogMark;
  #savedTo: number;
  #saving: Promise<void> | undefined;
  #checksSinceSaved = 0;
  #unsaved = new UnsavedProgress();
  #failingSince: number | null;

  constructor(
    readonly webhook: LeasedWebhook,
    secrets: readonly string[],
    parked: readonly ParkedEvent[],
    parts: WorkerParts,
  ) {
    this.#secrets = secrets;
    this.#parts = parts;
    this.#filter = { types: webhook.types === "" ? undefined : (webhook.types.split(",") as EventType[]) };
    this.#parked = new ParkedEvents(parked);
    this.#readTo = { position: webhook.position, id: webhook.eventId };
    this.#savedTo = webhook.position;
    this.#failingSince = webhook.failingSince;
  }

  get parkedCount(): number {
    return this.#parked.size;
  }

  /** The position up to which every event is delivered, parked, or of other types. */
  get position(): number {
    const [first] = this.#queue;
    return first ? first.event.position - 1 : this.#readTo.position;
  }

  get hasEnded(): boolean {
    return this.#phase === "ended";
  }

  async begin(): Promise<void> {
    await this.#disableIf(await findGapReason(this.#parts.store.events, this.#readTo));
    this.#proceed();
  }

  onMoreEvents(): void {
    this.#isBehind = true;
    this.#proceed();
  }

  check(): void {
    this.#checksSinceSaved++;
    this.#proceed();
  }

  abort(): void {
    this.#phase = "ended";
    this.#end.abort();
  }

  /** Waits up to `graceMs` for deliveries in flight, and saves their results. */
  async stop(graceMs: number): Promise<void> {
    if (this.#phase === "running") this.#phase = "stopping";
    await withDeadline(graceMs, Promise.all(this.#inFlight.values()), () => new Error("late")).catch(() => {});
    await this.#saving;
    if (!this.hasEnded && (this.#unsaved.hasOutcome || this.#hasMoved())) await this.#save();
    this.abort();
  }

  #proceed(): void {
    if (this.#phase !== "running") return;
    if (this.#canDeliver()) {
      this.#parkBlocked();
      this.#sendDue();
      this.#readMore();
    }
    // A new position alone is saved only every few checks.
    if (this.#unsaved.hasOutcome || (this.#hasMoved() && this.#checksSinceSaved >= checksUntilSaved)) this.#save();
  }

  #canDeliver(): boolean {
    return this.#phase === "running" && this.#parts.hasLease();
  }

  /** Parks events that must wait for earlier events of their subjects. */
  #parkBlocked(): void {
    for (const queued of this.#queue) {
      const { subject, position } = queued.event;
      if (this.#parked.size >= maxParked) break;
      if (queued.state !== "waiting" || !this.#parked.isBlocked(subject)) continue;
      this.#park({ position, subject, attempts: 0, nextAt: this.#parts.clock() });
      queued.state = "done";
    }
    this.#dropDone();
  }

  /** Sends one event per tick, for all webhooks together, so that requests are not delayed. */
  readonly #sendDue = oneAtATime(async () => {
    while (this.#canDeliver() && this.#nextDelivery()) {
      await sendTicks.next();
      if (this.#canDeliver()) this.#nextDelivery()?.();
    }
  });

  #nextDelivery(): (() => void) | undefined {
    if (this.#inFlight.size >= maxInFlight) return undefined;
    const now = this.#parts.clock();
    // Limits retries, so that hanging retries leave slots for new events.
    const due = this.#retriesInFlight >= maxRetriesInFlight ? [] : this.#parked.findDue(now);
    const parked = due.find(({ subject }) => !this.#inFlight.has(subject));
    if (parked) return () => this.#retry(parked, now);
    const queued = this.#queue.find(
      ({ event: { subject }, state }) =>
        state === "waiting" && !this.#inFlight.has(subject) && !this.#parked.isBlocked(subject),
    );
    return queued && (() => this.#send(queued));
  }

  #retry(parked: ParkedEvent, now: number): void {
    this.#retriesInFlight++;
    // Delays the next try if the event cannot be read now.
    this.#parked.put({ ...parked, nextAt: now + rereadDelayMs });
    this.#run(parked.subject, async () => {
      try {
        const event = await this.#readEventAt(parked.position);
        if (event) await this.#deliver(event, parked.attempts + 1);
      } finally {
        this.#retriesInFlight--;
      }
    });
  }

  #send(queued: QueuedEvent): void {
    queued.state = "in flight";
    this.#run(queued.event.subject, async () => {
      await this.#deliver(queued.event, 1);
      queued.state = "done";
    });
  }

  #run(subject: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => {
        this.#inFlight.delete(subject);
        this.#dropDone();
        this.#proceed();
      });
    this.#inFlight.set(subject, running);
  }

  /** Removes the events before the first that is not done, and advances the position. */
  #dropDone(): void {
    const first = this.#queue.findIndex(({ state }) => state !== "done");
    const doneEvents = this.#queue.splice(0, first === -1 ? this.#queue.length : first);
    const last = doneEvents.at(-1)?.event;
    if (first === -1) this.#unsaved.reached = this.#readTo;
    else if (last) this.#unsaved.reached = { position: last.position, id: last.id };
  }

  /** Throws only after the worker has ended. */
  async #deliver(event: LoggedEvent, attempt: number): Promise<void> {
    const { sender, clock, responseTimeoutMs, metrics } = this.#parts;
    const at = clock();
    const secrets = selectSigningSecrets(this.webhook, this.#secrets, at);
    const result = await sender.send(this.webhook.url, secrets, event, responseTimeoutMs, this.#end.signal);
    metrics.countAttempt(result);
    const { isDelivered, isGone, status, error, durationMs, retryAfterMs } = result;
    const { position, id: eventId, type, subject } = event;
    const nextAt = isDelivered ? null : clock() + computeRetryDelayMs(attempt, retryAfterMs);
    const outcome = isDelivered ? "delivered" : "failed";
    const sent = { position, eventId, type, subject, attempt, at };
    this.#unsaved.deliveries.push({ ...sent, outcome, status, error, durationMs, nextAt });
    if (nextAt === null) this.#onDelivered(position);
    else this.#onFailed({ position, subject, attempts: attempt, nextAt }, isGone);
  }

  #onDelivered(position: number): void {
    const now = this.#parts.clock();
    if (this.#parked.remove(position)) this.#unsaved.unpark(position);
    const wasDown = this.#failingSince !== null && now - this.#failingSince >= outageMs;
    this.#failingSince = null;
    // After an outage, parked events are due at once, instead of after a delay of up to a day.
    if (wasDown) for (const parked of this.#parked.listHeads()) this.#park({ ...parked, nextAt: now });
  }

  #onFailed(parked: ParkedEvent, isGone: boolean): void {
    const now = this.#parts.clock();
    this.#failingSince ??= now;
    this.#park(parked);
    if (isGone) this.#unsaved.disabled = { reason: "gone", at: now };
    else if (now - this.#failingSince >= maxFailingMs) this.#unsaved.disabled = { reason: "failures", at: now };
  }

  #park(parked: ParkedEvent): void {
    this.#parked.put(parked);
    this.#unsaved.park(parked);
  }

  /** Returns undefined if the event cannot be read now. */
  async #readEventAt(position: number): Promise<LoggedEvent | undefined> {
    const { events } = await this.#parts.store.events.read({}, position - 1, 1);
    const [event] = events;
    if (event?.position === position) return event;
    await this.#disableIf(await findLossReason(this.#parts.store.events, position));
    return undefined;
  }

  readonly #readMore = oneAtATime(async () => {
    const freeSlots = maxQueued - this.#queue.length;
    if (!this.#isBehind || freeSlots <= 0 || this.#parked.size >= maxParked || !this.#canDeliver()) return;
    this.#isBehind = false;
    try {
      if (!(await this.#read(freeSlots))) this.#isBehind = true;
      this.#proceed();
    } catch (error) {
      this.#isBehind = true;
      this.#reportFailure(error);
    }
  });

  /** Returns true if the end of the event log was reached. */
  async #read(freeSlots: number): Promise<boolean> {
    const log = this.#parts.store.events;
    const { position } = this.#readTo;
    const { events, end } = await log.read(this.#filter, position, freeSlots);
    // Checked after the read, because events could be removed between a check and the read.
    await this.#disableIf(await findGapReason(log, this.#readTo));
    if (this.hasEnded) return true;
    const last = events.at(-1);
    const isAtEnd = events.length < freeSlots;
    for (const event of events) this.#queue.push({ event, state: "waiting" });
    // All events after the last match have other types, so the position moves on to the end of the event log.
    const reached = isAtEnd && end && end.position > (last?.position ?? position) ? end : last;
    if (reached) this.#readTo = { position: reached.position, id: reached.id };
    this.#dropDone();
    return isAtEnd;
  }

  async #disableIf(reason: DisabledReason | undefined): Promise<void> {
    if (!reason) return;
    this.#unsaved.disabled = { reason, at: this.#parts.clock() };
    await this.#saving;
    await this.#save();
  }

  #hasMoved(): boolean {
    return (this.#unsaved.reached?.position ?? this.#savedTo) !== this.#savedTo;
  }

  /** Saves one record at a time: if a later record were saved before one that then fails, the events of the failed record would be lost. */
  #save(): Promise<void> {
    this.#saving ??= this.#saveRecord().finally(() => {
      this.#saving = undefined;
      this.#proceed();
    });
    return this.#saving;
  }

  async #saveRecord(): Promise<void> {
    const unsaved = this.#unsaved;
    const { store, owner, note } = this.#parts;
    const { id, revision } = this.webhook;
    this.#unsaved = new UnsavedProgress();
    try {
      const progress = unsaved.toProgress(this.#failingSince);
      const isSaved = await store.webhooks.saveProgress({ id, owner, revision }, progress);
      this.#savedTo = progress.reached?.position ?? this.#savedTo;
      this.#checksSinceSaved = 0;
      if (!isSaved || progress.disabled) this.abort();
      if (isSaved && progress.disabled)
        note("warn", "a webhook was disabled", { webhook: id, reason: progress.disabled.reason });
    } catch (error) {
      this.#reportFailure(error);
      this.abort();
    }
  }

  #reportFailure(error: unknown): void {
    if (this.hasEnded) return;
    this.#parts.note("warn", "delivery to a webhook failed and will be retried", {
      webhook: this.webhook.id,
      cause: describeCause(error),
    });
  }
}

interface QueuedEvent {
  readonly event: LoggedEvent;
  state: "waiting" | "in flight" | "done";
}

const sendTicks = new TickQueue();
const maxInFlight = 8;
const maxRetriesInFlight = 4;
const maxQueued = 100;
/** Maximum number of parked events. At the maximum, the worker reads no further. */
const maxParked = 1_000;
/** Minimum length of an outage after which the first success makes all retries due at once. */
const outageMs = 5 * 60_000;
const maxFailingMs = 5 * 24 * 3_600_000;
const checksUntilSaved = 5;
const rereadDelayMs = 1_000;
