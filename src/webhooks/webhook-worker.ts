import type { Clock } from "../base/clock.ts";
import { Turns } from "../base/turn.ts";
import { describeCause } from "../domain/cause.ts";
import type { EventType, IndexedFilter, LoggedEvent } from "../domain/event.ts";
import type { DisabledReason, ParkedEvent } from "../domain/webhook.ts";
import type { LeasedWebhook, LogMark, Note, Store } from "../store/store.ts";
import { whyMissing, whyUnreadable } from "./log-check.ts";
import { deliveryOf, merged, type News, noNews, progressOf } from "./news.ts";
import { Parking } from "./parking.ts";
import { retryDelayMs } from "./retries.ts";
import type { Attempt, Sender } from "./sender.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

export interface WorkerParts {
  readonly store: Store;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly note: Note;
  readonly owner: string;
  /** How long a receiver has for its answer. */
  readonly answerMs: number;
  /** Whether this process may still take it that nobody else delivers. */
  hasLease(): boolean;
}

/**
 * Delivers to one webhook for as long as this process has its lease. It reads on from the position in the log, sends what it
 * finds, a few at a time and those of one subject one after the other, and saves how far it has got. What fails is parked, and
 * so are later events of its subject; the rest goes on. Whatever was not saved is delivered again by the next one.
 */
export class WebhookWorker {
  readonly #webhook: LeasedWebhook;
  readonly #secrets: readonly string[];
  readonly #parts: WorkerParts;
  readonly #filter: IndexedFilter;
  readonly #end = new AbortController();
  readonly #parked: Parking;
  /** What was read and is not known to be delivered or parked, in the order of the log. */
  #ahead: Ahead[] = [];
  readonly #subjectsUnderWay = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #retriesUnderWay = 0;
  /** As far as the log was read. */
  #readTo: LogMark;
  #saved: number;
  #mayHaveMore = true;
  #reading: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  #isStopping = false;
  #waitsForTurn = false;
  #news: News;
  #failingSince: number | null;
  #ticksSinceSaved = 0;
  #hasFailedToSave = false;

  constructor(webhook: LeasedWebhook, secrets: readonly string[], parked: readonly ParkedEvent[], parts: WorkerParts) {
    this.#webhook = webhook;
    this.#secrets = secrets;
    this.#parts = parts;
    this.#filter = { types: webhook.types === "" ? undefined : (webhook.types.split(",") as EventType[]) };
    this.#parked = new Parking(parked);
    this.#readTo = { position: webhook.position, id: webhook.eventId };
    this.#saved = webhook.position;
    this.#failingSince = webhook.failingSince;
    this.#news = noNews();
  }

  get revision(): number {
    return this.#webhook.revision;
  }

  get parkedCount(): number {
    return this.#parked.size;
  }

  /** The position up to which everything was delivered, or parked, or is of other types. */
  get position(): number {
    const [first] = this.#ahead;
    return first ? first.event.position - 1 : this.#readTo.position;
  }

  get hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  async begin(): Promise<void> {
    await this.#disableIf(await whyUnreadable(this.#parts.store.events, this.#readTo));
    if (!this.hasEnded) this.wake();
  }

  /** Called when there may be more events. */
  moreEvents(): void {
    this.#mayHaveMore = true;
    this.wake();
  }

  /** Called now and then. */
  tick(): void {
    this.#ticksSinceSaved++;
    this.wake();
  }

  wake(): void {
    if (this.hasEnded || this.#isStopping) return;
    if (this.#parts.hasLease()) {
      this.#parkBehindParked();
      this.#sendSoon();
      this.#readSoon();
    }
    this.#saveSoon();
  }

  /** Ends at once; what is under way counts as not delivered. */
  abort(): void {
    this.#end.abort();
  }

  /** Starts nothing more, waits a moment for what is under way, and saves what has come of it. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    await Promise.race([Promise.all(this.#underWay), promise]);
    clearTimeout(timer);
    await this.#saving;
    if (!this.hasEnded && (this.#hasOutcome() || this.#hasMoved())) await this.#saveNow();
    this.abort();
  }

  /** What is read of a subject waits for what is parked of it. */
  #parkBehindParked(): void {
    for (const ahead of this.#ahead) {
      const { subject, position } = ahead.event;
      if (this.#parked.size >= mostParked) break;
      if (ahead.state !== "waiting" || !this.#parked.has(subject)) continue;
      this.#park({ position, subject, attempts: 0, nextAt: this.#parts.clock() });
      ahead.state = "done";
    }
    this.#ahead = this.#withoutFinished();
  }

  /** One in each turn, together with all other webhooks: requests are answered in time however much there is to send. */
  async #sendSoon(): Promise<void> {
    if (this.#waitsForTurn || !this.#next()) return;
    this.#waitsForTurn = true;
    await turns.next();
    this.#waitsForTurn = false;
    if (this.hasEnded || this.#isStopping || !this.#parts.hasLease()) return;
    this.#next()?.();
    this.#sendSoon();
  }

  /** Starts to send what waits for nothing else. Undefined if there is nothing, or enough is under way. */
  #next(): (() => void) | undefined {
    if (this.#underWay.size >= mostUnderWay) return undefined;
    return this.#nextRetry() ?? this.#nextAhead();
  }

  /** A parked event whose time has come, but not on all lines, so that new events are not held up by receivers that hang. */
  #nextRetry(): (() => void) | undefined {
    if (this.#retriesUnderWay >= mostRetriesUnderWay) return undefined;
    const now = this.#parts.clock();
    const parked = this.#parked.due(now).find(({ subject }) => !this.#subjectsUnderWay.has(subject));
    return parked && (() => this.#retry(parked, now));
  }

  #retry(parked: ParkedEvent, now: number): void {
    this.#retriesUnderWay++;
    // What cannot be read now is not asked for again and again.
    this.#parked.put({ ...parked, nextAt: now + pauseMs });
    this.#run(parked.subject, async () => {
      try {
        const event = await this.#eventAt(parked.position);
        if (event) await this.#deliver(event, parked.attempts);
      } finally {
        this.#retriesUnderWay--;
      }
    });
  }

  #nextAhead(): (() => void) | undefined {
    const ahead = this.#ahead.find(
      ({ event: { subject }, state }) =>
        state === "waiting" && !this.#subjectsUnderWay.has(subject) && !this.#parked.has(subject),
    );
    return ahead && (() => this.#send(ahead));
  }

  #send(ahead: Ahead): void {
    ahead.state = "under way";
    this.#run(ahead.event.subject, async () => {
      try {
        await this.#deliver(ahead.event, 0);
        ahead.state = "done";
      } finally {
        if (ahead.state !== "done") ahead.state = "waiting";
      }
    });
  }

  /** All that is left from the first that is not done on; what comes before it has been reached. */
  #withoutFinished(): Ahead[] {
    const first = this.#ahead.findIndex(({ state }) => state !== "done");
    const finished = this.#ahead.slice(0, first === -1 ? undefined : first);
    const last = finished.at(-1)?.event;
    if (first === -1) this.#news.reached = this.#readTo;
    else if (last) this.#news.reached = { position: last.position, id: last.id };
    return this.#ahead.slice(finished.length);
  }

  #run(subject: string, work: () => Promise<void>): void {
    this.#subjectsUnderWay.add(subject);
    const running = work()
      .catch((error: unknown) => this.#complain(error))
      .finally(() => {
        this.#underWay.delete(running);
        this.#subjectsUnderWay.delete(subject);
        this.#ahead = this.#withoutFinished();
        this.wake();
      });
    this.#underWay.add(running);
  }

  async #deliver(event: LoggedEvent, failedBefore: number): Promise<void> {
    const { sender, clock, answerMs, metrics } = this.#parts;
    const at = clock();
    const attempt = await sender.send(this.#webhook.url, this.#secretsAt(at), event, answerMs, this.#end.signal);
    metrics.attempted(attempt);
    const nextAt = attempt.isDelivered ? null : clock() + retryDelayMs(failedBefore + 1, attempt.retryAfterMs);
    this.#news.deliveries.push(deliveryOf(event, failedBefore + 1, at, attempt, nextAt));
    if (nextAt === null) this.#succeeded(event);
    else this.#failed(event, failedBefore + 1, nextAt, attempt);
  }

  /** That of before as well, until it has retired. */
  #secretsAt(now: number): readonly string[] {
    const { retiresAt } = this.#webhook;
    return retiresAt !== null && now < retiresAt ? this.#secrets : this.#secrets.slice(0, 1);
  }

  #succeeded({ position }: LoggedEvent): void {
    const now = this.#parts.clock();
    if (this.#parked.remove(position)) {
      this.#news.parked.delete(position);
      this.#news.unparked.add(position);
    }
    const wasDown = this.#failingSince !== null && now - this.#failingSince >= outageMs;
    this.#failingSince = null;
    // A receiver that was down for long is back: what waits for it need not wait for hours more.
    if (wasDown) for (const parked of [...this.#parked.heads()]) this.#park({ ...parked, nextAt: now });
  }

  #failed({ position, subject }: LoggedEvent, attempts: number, nextAt: number, { isGone }: Attempt): void {
    const now = this.#parts.clock();
    this.#failingSince ??= now;
    this.#park({ position, subject, attempts, nextAt });
    if (isGone) this.#news.disabled = { reason: "gone", at: now };
    else if (now - this.#failingSince >= longestFailingMs) this.#news.disabled = { reason: "failures", at: now };
  }

  #park(parked: ParkedEvent): void {
    this.#parked.put(parked);
    this.#news.unparked.delete(parked.position);
    this.#news.parked.set(parked.position, parked);
  }

  /** Undefined if it cannot be had now. */
  async #eventAt(position: number): Promise<LoggedEvent | undefined> {
    const { events } = await this.#parts.store.events.read({}, position - 1, 1);
    const [event] = events;
    if (event?.position === position) return event;
    await this.#disableIf(await whyMissing(this.#parts.store.events, position));
    return undefined;
  }

  #readSoon(): void {
    const room = mostAhead - this.#ahead.length;
    if (!this.#mayHaveMore || this.#reading || room <= 0 || this.#parked.size >= mostParked) return;
    this.#reading = this.#read(room)
      .then(
        () => true,
        (error: unknown) => {
          this.#mayHaveMore = true;
          this.#complain(error);
          return false;
        },
      )
      .then((isRead) => {
        this.#reading = undefined;
        // After a failure, the next tick is soon enough.
        if (isRead && (this.#ahead.length > 0 || this.#news.reached)) this.wake();
      });
  }

  async #read(room: number): Promise<void> {
    const { store } = this.#parts;
    this.#mayHaveMore = false;
    const { position } = this.#readTo;
    const { events, end } = await store.events.read(this.#filter, position, room);
    // Only now, so that nothing can have been removed in between.
    await this.#disableIf(await whyUnreadable(this.#parts.store.events, this.#readTo));
    if (this.hasEnded) return;
    const last = events.at(-1);
    const isAll = events.length < room;
    this.#mayHaveMore ||= !isAll;
    for (const event of events) this.#ahead.push({ event, state: "waiting" });
    // Where the page is all there was, the log is done with up to its end, whatever types are there.
    const reached = isAll && end && end.position > (last?.position ?? position) ? end : last;
    if (reached) this.#readTo = { position: reached.position, id: reached.id };
    this.#ahead = this.#withoutFinished();
  }

  async #disableIf(reason: DisabledReason | undefined): Promise<void> {
    if (!reason) return;
    this.#news.disabled = { reason, at: this.#parts.clock() };
    await this.#saving;
    await this.#saveNow();
  }

  #hasOutcome(): boolean {
    const { parked, unparked, deliveries, disabled } = this.#news;
    return parked.size > 0 || unparked.size > 0 || deliveries.length > 0 || disabled !== undefined;
  }

  #hasMoved(): boolean {
    return (this.#news.reached?.position ?? this.#saved) !== this.#saved;
  }

  #saveSoon(): void {
    // That others' events were passed over is worth a write only now and then.
    if (!this.#hasOutcome() && !(this.#hasMoved() && this.#ticksSinceSaved >= ticksUntilSaved)) return;
    this.#saveNow();
  }

  /** One at a time: what fails to be saved is saved again with what comes next, and must not undo what was saved since. */
  #saveNow(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
      if (this.#news.deliveries.length > 0 && !this.#hasFailedToSave) this.wake();
    });
    return this.#saving;
  }

  async #save(): Promise<void> {
    const news = this.#news;
    const { store, owner, note } = this.#parts;
    const { id, revision } = this.#webhook;
    this.#news = noNews();
    try {
      const isOurs = await store.webhooks.record({ id, owner, revision }, progressOf(news, this.#failingSince));
      this.#hasFailedToSave = false;
      this.#saved = news.reached?.position ?? this.#saved;
      this.#ticksSinceSaved = 0;
      if (!isOurs || news.disabled) this.abort();
      if (isOurs && news.disabled)
        note("warn", "a webhook was disabled", { webhook: id, reason: news.disabled.reason });
    } catch (error) {
      // It is saved with what comes next.
      this.#news = merged(news, this.#news);
      this.#hasFailedToSave = true;
      this.#complain(error);
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

/** Of all webhooks together. */
const turns = new Turns();
/** How many events are sent to a receiver at the same time. */
const mostUnderWay = 8;
const mostRetriesUnderWay = 4;
/** How many are read ahead of those that are sent. */
const mostAhead = 100;
/** Beyond it, the position stays where it is, until fewer are parked. */
const mostParked = 1_000;
/** After a shorter time, a success says nothing about what failed before. */
const outageMs = 5 * 60_000;
const longestFailingMs = 5 * 24 * 3_600_000;
const ticksUntilSaved = 5;
const pauseMs = 1_000;

interface Ahead {
  readonly event: LoggedEvent;
  state: "waiting" | "under way" | "done";
}
