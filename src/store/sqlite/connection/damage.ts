import type { ServiceError } from "../../../domain/errors.ts";
import { isDamage, type SqliteFailure, toWriteError } from "../errors.ts";

/**
 * Remembers that a page of the file was found damaged. What can still be read is read; nothing is written any more,
 * because that could spread the damage.
 */
export class Damage {
  #error: ServiceError | undefined;

  /** Returns what to tell the operator, if this is the first of it. */
  note(failure: SqliteFailure): string | undefined {
    if (this.#error || !isDamage(failure)) return undefined;
    this.#error = toWriteError(failure);
    return String(this.#error.cause);
  }

  /** Throws ServiceUnavailable once there is any. */
  refuse(): void {
    if (this.#error) throw this.#error;
  }
}
