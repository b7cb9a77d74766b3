import type { ParkedEvent } from "../domain/webhook.ts";

/** The parked events of each subject, in the order of the log. */
export class Parking {
  readonly #bySubject = new Map<string, ParkedEvent[]>();
  readonly #subjects = new Map<number, string>();
  /** No head is due before this time. */
  #quietUntil = Number.POSITIVE_INFINITY;

  constructor(parked: readonly ParkedEvent[]) {
    for (const one of parked) this.put(one);
  }

  get size(): number {
    return this.#subjects.size;
  }

  has(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  /** The first event of each subject, which the others wait for. */
  *heads(): Iterable<ParkedEvent> {
    for (const [first] of this.#bySubject.values()) if (first) yield first;
  }

  /** Returns the heads that are due. Called far more often than there are any. */
  due(now: number): readonly ParkedEvent[] {
    if (now < this.#quietUntil) return [];
    const heads = [...this.heads()];
    this.#quietUntil = heads.reduce((earliest, { nextAt }) => Math.min(earliest, nextAt), Number.POSITIVE_INFINITY);
    return heads.filter(({ nextAt }) => nextAt <= now);
  }

  put(parked: ParkedEvent): void {
    const { position, subject, nextAt } = parked;
    const others = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    this.#subjects.set(position, subject);
    this.#bySubject.set(
      subject,
      [...others, parked].sort((one, other) => one.position - other.position),
    );
    this.#quietUntil = Math.min(this.#quietUntil, nextAt);
  }

  /** Returns true if the event was parked. */
  remove(position: number): boolean {
    const subject = this.#subjects.get(position);
    if (subject === undefined) return false;
    this.#subjects.delete(position);
    const left = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    const [first] = left;
    if (first) {
      this.#bySubject.set(subject, left);
      this.#quietUntil = Math.min(this.#quietUntil, first.nextAt);
    } else {
      this.#bySubject.delete(subject);
    }
    return true;
  }
}
