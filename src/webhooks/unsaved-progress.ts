import type { NewDelivery, ParkedEvent } from "../domain/webhook.ts";
import type { LogMark, WebhookProgress } from "../store/store.ts";

/** The part of a worker's progress that the store does not have yet. */
export class UnsavedProgress {
  reached: LogMark | undefined;
  disabled: WebhookProgress["disabled"];
  readonly deliveries: NewDelivery[] = [];
  readonly #parked = new Map<number, ParkedEvent>();
  readonly #unparked = new Set<number>();

  /** True if there is more than a new position. */
  get hasOutcome(): boolean {
    const isEmpty = this.#parked.size === 0 && this.#unparked.size === 0 && this.deliveries.length === 0;
    return !isEmpty || this.disabled !== undefined;
  }

  park(parked: ParkedEvent): void {
    this.#unparked.delete(parked.position);
    this.#parked.set(parked.position, parked);
  }

  unpark(position: number): void {
    this.#parked.delete(position);
    this.#unparked.add(position);
  }

  /** Adds the progress that was made since this one, which could not be saved. */
  add(later: UnsavedProgress): void {
    this.reached = later.reached ?? this.reached;
    this.disabled = later.disabled ?? this.disabled;
    for (const position of later.#unparked) this.unpark(position);
    for (const parked of later.#parked.values()) this.park(parked);
    this.deliveries.push(...later.deliveries);
    this.deliveries.splice(0, this.deliveries.length - maxUnsavedDeliveries);
  }

  toSave(failingSince: number | null): WebhookProgress {
    const { reached, deliveries, disabled } = this;
    return {
      reached,
      parked: [...this.#parked.values()],
      unparked: [...this.#unparked],
      deliveries,
      failingSince,
      disabled,
    };
  }
}

const maxUnsavedDeliveries = 1_000;
