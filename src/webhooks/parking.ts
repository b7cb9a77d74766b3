import type { ParkedEvent } from "../domain/webhook.ts";

/** The parked events of each subject, in the order of the log. */
export class Parking {
  readonly #bySubject = new Map<string, ParkedEvent[]>();
  readonly #subjects = new Map<number, string>();

  constructor(parked: readonly ParkedEvent[]) {
    for (const one of parked) this.put(one);
  }

  get size(): number {
    return this.#subjects.size;
  }

  has(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  /** The first of each subject, which the others wait for. */
  *heads(): Iterable<ParkedEvent> {
    for (const [first] of this.#bySubject.values()) if (first) yield first;
  }

  put(parked: ParkedEvent): void {
    const { position, subject } = parked;
    const others = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    this.#subjects.set(position, subject);
    this.#bySubject.set(
      subject,
      [...others, parked].sort((one, other) => one.position - other.position),
    );
  }

  /** Returns whether it was there. */
  remove(position: number): boolean {
    const subject = this.#subjects.get(position);
    if (subject === undefined) return false;
    this.#subjects.delete(position);
    const left = (this.#bySubject.get(subject) ?? []).filter((one) => one.position !== position);
    if (left.length === 0) this.#bySubject.delete(subject);
    else this.#bySubject.set(subject, left);
    return true;
  }
}
