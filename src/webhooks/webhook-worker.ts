import type { Clock } from "../base/clock.ts";
import { TickQueue } from "../base/tick.ts";
import { describeCause } from "../domain/errors.ts";
import type { EventType, IndexedFilter, LoggedEvent } from "../domain/event.ts";
import type { DisabledReason, ParkedEvent } from "../domain/webhook.ts";
import type { LeasedWebhook, LogMark, Note, Store } from "../store/store.ts";
import { whyMissing, whyUnreadable } from "./log-check.ts";
import { Parking } from "./parking.ts";
import { retryDelayMs } from "./retries.ts";
import { type Sender, signingSecrets } from "./sender.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

export interface WorkerParts {
  readonly store: Store;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly note: Note;
  readonly owner: string;
  /** Time limit of a receiver's response. */
  readonly answerMs: number;
  /** True while no other process can deliver. */
  hasLease(): boolean;
}

/**
 * Delivers to one webhook for as long as this process has its lease. It reads the log from a position on, sends several events
 * at a time, but those of one subject one after the other, and saves its progress. A failed event is parked, and so are later events
 * of its subject; the others continue. The next worker delivers again what was not saved.
 */
export class WebhookWorker {
  readonly #webhook: LeasedWebhook;
  readonly #secrets: readonly string[];
  readonly #parts: WorkerParts;
  readonly #filter: IndexedFilter;
  readonly #end = new AbortController();
  /** `running` becomes `stopping` or `ended`, and `stopping` becomes `ended`. Only a running worker starts anything. */
  #phase: "running" | "stopping" | "ended" = "running";
  /** `behind` becomes `reading`, and then `read`, or `behind` again if that failed, or events came since (`outdated`). */
  #log: "behind" | "reading" | "outdated" | "read" = "behind";
  readonly #parked: Parking;
  /** The events from the first that is neither delivered nor parked, in the order of the log. */
  #ahead: Ahead[] = [];
  /** Deliveries by subject. */
  readonly #inFlight = new Map<string, Promise<void>>();
  #retriesInFlight = 0;
  #waitsForTurn = false;
  #readTo: LogMark;
  #savedTo: number;
  #saving: Promise<void> | undefined;
  #ticksSinceSaved = 0;
  #unsaved = new UnsavedProgress();
  #failingSince: number | null;

  constructor(webhook: LeasedWebhook, secrets: readonly string[], parked: readonly ParkedEvent[], parts: WorkerParts) {
    this.#webhook = webhook;
    this.#secrets = secrets;
    this.#parts = parts;
    this.#filter = { types: webhook.types === "" ? undefined : (webhook.types.split(",") as EventType[]) };
    this.#parked = new Parking(parked);
    this.#readTo = { position: webhook.position, id: webhook.eventId };
    this.#savedTo = webhook.position;
    this.#failingSince = webhook.failingSince;
  }

  get revision(): number {
    return this.#webhook.revision;
  }

  get parkedCount(): number {
    return this.#parked.size;
  }

  /** The position up to which every event is delivered, parked, or of other types. */
  get position(): number {
    const [first] = this.#ahead;
    return first ? first.event.position - 1 : this.#readTo.position;
  }

  get hasEnded(): boolean {
    return this.#phase === "ended";
  }

  async begin(): Promise<void> {
    await this.#disableIf(await whyUnreadable(this.#parts.store.events, this.#readTo));
    this.#wake();
  }

  /** Called when there may be more events. */
  moreEvents(): void {
    this.#log = this.#log === "reading" || this.#log === "outdated" ? "outdated" : "behind";
    this.#wake();
  }

  tick(): void {
    this.#ticksSinceSaved++;
    this.#wake();
  }

  /** Ends at once; deliveries in flight count as not delivered. */
  abort(): void {
    this.#phase = "ended";
    this.#end.abort();
  }

  /** Starts nothing more, waits a moment for deliveries in flight, and saves their results. */
  async stop(graceMs: number): Promise<void> {
    if (this.#phase === "running") this.#phase = "stopping";
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    await Promise.race([Promise.all(this.#inFlight.values()), promise]);
    clearTimeout(timer);
    await this.#saving;
    if (!this.hasEnded && (this.#unsaved.hasOutcome || this.#hasMoved())) await this.#saveNow();
    this.abort();
  }

  #wake(): void {
    if (this.#phase !== "running") return;
    if (this.#parts.hasLease()) {
      this.#parkBehindParked();
      this.#sendSoon();
      this.#readSoon();
    }
    this.#saveSoon();
  }

  /** Parks events that were read after an event of the same subject was parked. */
  #parkBehindParked(): void {
    for (const ahead of this.#ahead) {
      const { subject, position } = ahead.event;
      if (this.#parked.size >= maxParked) break;
      if (ahead.state !== "waiting" || !this.#parked.has(subject)) continue;
      this.#park({ position, subject, attempts: 0, nextAt: this.#parts.clock() });
      ahead.state = "done";
    }
    this.#dropFinished();
  }

  /** Sends one event in each tick of the event loop, for all webhooks together, so that requests are not delayed. */
  async #sendSoon(): Promise<void> {
    if (this.#waitsForTurn || !this.#next()) return;
    this.#waitsForTurn = true;
    await turns.next();
    this.#waitsForTurn = false;
    if (this.#phase !== "running" || !this.#parts.hasLease()) return;
    this.#next()?.();
    this.#sendSoon();
  }

  /** Returns a function that starts the next delivery; undefined if none is due, or enough are in flight. */
  #next(): (() => void) | undefined {
    if (this.#inFlight.size >= maxInFlight) return undefined;
    const now = this.#parts.clock();
    // Retries leave room for new events, so that a receiver that hangs does not hold them up.
    const due = this.#retriesInFlight >= maxRetriesInFlight ? [] : this.#parked.due(now);
    const parked = due.find(({ subject }) => !this.#inFlight.has(subject));
    if (parked) return () => this.#retry(parked, now);
    const ahead = this.#ahead.find(
      ({ event: { subject }, state }) =>
        state === "waiting" && !this.#inFlight.has(subject) && !this.#parked.has(subject),
    );
    return ahead && (() => this.#send(ahead));
  }

  #retry(parked: ParkedEvent, now: number): void {
    this.#retriesInFlight++;
    // If the event cannot be read now, it is not due again at once.
    this.#parked.put({ ...parked, nextAt: now + pauseMs });
    this.#run(parked.subject, async () => {
      try {
        const event = await this.#eventAt(parked.position);
        if (event) await this.#deliver(event, parked.attempts + 1);
      } finally {
        this.#retriesInFlight--;
      }
    });
  }

  #send(ahead: Ahead): void {
    ahead.state = "in flight";
    this.#run(ahead.event.subject, async () => {
      try {
        await this.#deliver(ahead.event, 1);
        ahead.state = "done";
      } catch (error) {
        ahead.state = "waiting";
        throw error;
      }
    });
  }

  #run(subject: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#complain(error))
      .finally(() => {
        this.#inFlight.delete(subject);
        this.#dropFinished();
        this.#wake();
      });
    this.#inFlight.set(subject, running);
  }

  /** Advances to the first event that is not done. */
  #dropFinished(): void {
    const first = this.#ahead.findIndex(({ state }) => state !== "done");
    const finished = this.#ahead.splice(0, first === -1 ? this.#ahead.length : first);
    const last = finished.at(-1)?.event;
    if (first === -1) this.#unsaved.reached = this.#readTo;
    else if (last) this.#unsaved.reached = { position: last.position, id: last.id };
  }

  async #deliver(event: LoggedEvent, attempt: number): Promise<void> {
    const { sender, clock, answerMs, metrics } = this.#parts;
    const at = clock();
    const secrets = signingSecrets(this.#webhook, this.#secrets, at);
    const result = await sender.send(this.#webhook.url, secrets, event, answerMs, this.#end.signal);
    metrics.attempted(result);
    const { isDelivered, isGone, status, error, durationMs } = result;
    const { position, id: eventId, type, subject } = event;
    const nextAt = isDelivered ? null : clock() + retryDelayMs(attempt, result.retryAfterMs);
    const outcome = isDelivered ? "delivered" : "failed";
    const delivery = {
      position,
      eventId,
      type,
      subject,
      attempt,
      at,
      outcome,
      status,
      error,
      durationMs,
      nextAt,
    } as const;
    this.#unsaved.deliveries.push(delivery);
    if (nextAt === null) this.#succeeded(position);
    else this.#failed({ position, subject, attempts: attempt, nextAt }, isGone);
  }

  #succeeded(position: number): void {
    const now = this.#parts.clock();
    if (this.#parked.remove(position)) this.#unsaved.unpark(position);
    const wasDown = this.#failingSince !== null && now - this.#failingSince >= outageMs;
    this.#failingSince = null;
    // A receiver is back after an outage: parked events need not wait for hours more.
    if (wasDown) for (const parked of [...this.#parked.heads()]) this.#park({ ...parked, nextAt: now });
  }

  #failed(parked: ParkedEvent, isGone: boolean): void {
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
  async #eventAt(position: number): Promise<LoggedEvent | undefined> {
    const { events } = await this.#parts.store.events.read({}, position - 1, 1);
    const [event] = events;
    if (event?.position === position) return event;
    await this.#disableIf(await whyMissing(this.#parts.store.events, position));
    return undefined;
  }

  #readSoon(): void {
    const room = maxAhead - this.#ahead.length;
    if (this.#log !== "behind" || room <= 0 || this.#parked.size >= maxParked) return;
    this.#log = "reading";
    this.#read(room).then(
      (isAll) => {
        this.#log = isAll && this.#log === "reading" ? "read" : "behind";
        if (this.#ahead.length > 0 || this.#unsaved.reached) this.#wake();
      },
      (error: unknown) => {
        // The next tick reads again.
        this.#log = "behind";
        this.#complain(error);
      },
    );
  }

  /** Returns true if the end of the log was reached. */
  async #read(room: number): Promise<boolean> {
    const log = this.#parts.store.events;
    const { position } = this.#readTo;
    const { events, end } = await log.read(this.#filter, position, room);
    // Checked after the read, so that no event can have been removed in between.
    await this.#disableIf(await whyUnreadable(log, this.#readTo));
    if (this.hasEnded) return true;
    const last = events.at(-1);
    const isAll = events.length < room;
    for (const event of events) this.#ahead.push({ event, state: "waiting" });
    // After the last event that the filter wants, only events of other types are left.
    const reached = isAll && end && end.position > (last?.position ?? position) ? end : last;
    if (reached) this.#readTo = { position: reached.position, id: reached.id };
    this.#dropFinished();
    return isAll;
  }

  async #disableIf(reason: DisabledReason | undefined): Promise<void> {
    if (!reason) return;
    this.#unsaved.disabled = { reason, at: this.#parts.clock() };
    await this.#saving;
    await this.#saveNow();
  }

  #hasMoved(): boolean {
    return (this.#unsaved.reached?.position ?? this.#savedTo) !== this.#savedTo;
  }

  /** A new position alone is saved only now and then. */
  #saveSoon(): void {
    if (this.#unsaved.hasOutcome || (this.#hasMoved() && this.#ticksSinceSaved >= ticksUntilSaved)) this.#saveNow();
  }

  /** Saves one record at a time: one that failed is saved with the next, and must not undo what was saved since. */
  #saveNow(): Promise<void> {
    this.#saving ??= this.#save().then((isSaved) => {
      this.#saving = undefined;
      if (isSaved && this.#unsaved.deliveries.length > 0) this.#wake();
    });
    return this.#saving;
  }

  async #save(): Promise<boolean> {
    const progress = this.#unsaved;
    const { store, owner, note } = this.#parts;
    const { id, revision } = this.#webhook;
    this.#unsaved = new UnsavedProgress();
    try {
      const isOurs = await store.webhooks.saveProgress({ id, owner, revision }, progress.toSave(this.#failingSince));
      this.#savedTo = progress.reached?.position ?? this.#savedTo;
      this.#ticksSinceSaved = 0;
      if (!isOurs || progress.disabled) this.abort();
      if (isOurs && progress.disabled)
        note("warn", "a webhook was disabled", { webhook: id, reason: progress.disabled.reason });
      return true;
    } catch (error) {
      progress.add(this.#unsaved);
      this.#unsaved = progress;
      this.#complain(error);
      return false;
    }
  }

  #complain(error: unknown): void {
    if (this.hasEnded) return;
    this.#parts.note("warn", "delivery to a webhook failed and will be retried", {
      webhook: this.#webhook.id,
      cause: describeCause(error),
    });
  }
}

interface Ahead {
  readonly event: LoggedEvent;
  state: "waiting" | "in flight" | "done";
}

/** Shared by all webhooks. */
const turns = new TickQueue();
/** Maximum concurrent deliveries per receiver. */
const maxInFlight = 8;
const maxRetriesInFlight = 4;
/** Maximum number of events that are read before they are sent. */
const maxAhead = 100;
/** Beyond this number, the position stays where it is. */
const maxParked = 1_000;
/** After a shorter outage, a success does not hasten retries. */
const outageMs = 5 * 60_000;
const maxFailingMs = 5 * 24 * 3_600_000;
const ticksUntilSaved = 5;
const pauseMs = 1_000;
