import type { ParkedEvent } from "../domain/webhook.ts";

/** The parked events of each subject, in the order of the event log. The first is the head, for which the other events wait. */
export class ParkedEvents {
  readonly #bySubject = new Map<string, ParkedEvent[]>();
  readonly #subjects = new Map<number, string>();

  constructor(parked: readonly ParkedEvent[]) {
    for (const event of parked) this.put(event);
  }

  get size(): number {
    return this.#subjects.size;
  }

  isBlocked(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  listHeads(): ParkedEvent[] {
    return [...this.#bySubject.values()].flatMap(([head]) => head ?? []);
  }

  findDue(now: number): readonly ParkedEvent[] {
    return this.listHeads().filter(({ nextAt }) => nextAt <= now);
  }

  put(parked: ParkedEvent): void {
    const { position, subject } = parked;
    this.remove(position);
    this.#subjects.set(position, subject);
    const events = [...(this.#bySubject.get(subject) ?? []), parked];
    this.#bySubject.set(
      subject,
      events.sort((one, other) => one.position - other.position),
    );
  }

  /** Returns true if the event was parked. */
  remove(position: number): boolean {
    const subject = this.#subjects.get(position);
    if (subject === undefined) return false;
    this.#subjects.delete(position);
    const others = this.#bySubject.get(subject)?.filter((event) => event.position !== position) ?? [];
    if (others.length > 0) this.#bySubject.set(subject, others);
    else this.#bySubject.delete(subject);
    return true;
  }
}
