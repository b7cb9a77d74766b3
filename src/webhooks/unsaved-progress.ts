import type { NewDelivery, ParkedEvent } from "../domain/webhook.ts";
import type { LogMark, WebhookProgress } from "../store/store.ts";

/** The part of a worker's progress that the store does not have yet. */
export class UnsavedProgress {
  reached: LogMark | undefined;
  disabled: WebhookProgress["disabled"];
  readonly deliveries: NewDelivery[] = [];
  /** Events by position; undefined for an event that is no longer parked. */
  readonly #parked = new Map<number, ParkedEvent | undefined>();

  /** True if more than the position has changed. */
  get hasOutcome(): boolean {
    return this.#parked.size > 0 || this.deliveries.length > 0 || this.disabled !== undefined;
  }

  park(parked: ParkedEvent): void {
    this.#parked.set(parked.position, parked);
  }

  unpark(position: number): void {
    this.#parked.set(position, undefined);
  }

  toProgress(failingSince: number | null): WebhookProgress {
    const { reached, deliveries, disabled } = this;
    const parked = [...this.#parked.values()].filter((event) => event !== undefined);
    const unparked = [...this.#parked.keys()].filter((position) => !this.#parked.get(position));
    return { reached, parked, unparked, deliveries, failingSince, disabled };
  }
}
