import type { ParkedEvent } from "../domain/webhook.ts";

/** The parked events of each subject, in the order of the event log. The first is the head, for which the others wait. */
export class Parking {
  readonly #bySubject = new Map<string, ParkedEvent[]>();
  readonly #subjects = new Map<number, string>();
  #noneDueBefore = Number.POSITIVE_INFINITY;

  constructor(parked: readonly ParkedEvent[]) {
    for (const event of parked) this.put(event);
  }

  get size(): number {
    return this.#subjects.size;
  }

  /** True if events of the subject are parked, so that later ones must wait. */
  isBlocked(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  *heads(): Iterable<ParkedEvent> {
    for (const [head] of this.#bySubject.values()) if (head) yield head;
  }

  /** Returns the heads that are due. Called often; usually there are none. */
  due(now: number): readonly ParkedEvent[] {
    if (now < this.#noneDueBefore) return [];
    const heads = [...this.heads()];
    this.#noneDueBefore = heads.reduce((earliest, { nextAt }) => Math.min(earliest, nextAt), Number.POSITIVE_INFINITY);
    return heads.filter(({ nextAt }) => nextAt <= now);
  }

  put(parked: ParkedEvent): void {
    const { position, subject } = parked;
    this.#subjects.set(position, subject);
    const events = [...this.#eventsExcept(subject, position), parked];
    this.#replace(
      subject,
      events.sort((one, other) => one.position - other.position),
    );
  }

  /** Returns true if the event was parked. */
  remove(position: number): boolean {
    const subject = this.#subjects.get(position);
    if (subject === undefined) return false;
    this.#subjects.delete(position);
    this.#replace(subject, this.#eventsExcept(subject, position));
    return true;
  }

  #eventsExcept(subject: string, position: number): ParkedEvent[] {
    return (this.#bySubject.get(subject) ?? []).filter((event) => event.position !== position);
  }

  #replace(subject: string, events: ParkedEvent[]): void {
    const [head] = events;
    if (head) this.#bySubject.set(subject, events);
    else this.#bySubject.delete(subject);
    this.#noneDueBefore = Math.min(this.#noneDueBefore, head?.nextAt ?? Number.POSITIVE_INFINITY);
  }
}
