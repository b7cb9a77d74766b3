import { ServiceError } from "../../../domain/errors.ts";
import type { StoreTelemetry } from "../../store.ts";
import { isFileFault, looksDamaged, type SqliteFailure, toReadError } from "../errors.ts";
import type { Writer } from "../writer/writer.ts";

/** Distinguishes errors of the disk from damage to the file. After damage, writes are refused, because they could spread the damage. */
export class FileFaults {
  #damage: string | undefined;
  #quietUntil = 0;

  constructor(readonly telemetry: StoreTelemetry) {}

  /** Logs the reason of a failure that is due to the file or its disk, at most every 10 seconds. */
  async report(failure: SqliteFailure, writer: Writer): Promise<void> {
    const startedAt = performance.now();
    if (!isFileFault(failure) || this.#damage !== undefined || startedAt < this.#quietUntil) return;
    this.#quietUntil = Number.POSITIVE_INFINITY;
    // An apparent fault may be an operator replacing the files; in that case the process exits with that reason instead.
    if (await writer.areFilesThere()) {
      const checkedFailure = looksDamaged(failure) ? await writer.findDamage() : failure;
      if (looksDamaged(checkedFailure)) this.#damage = `${checkedFailure.message}; ${advice}`;
      const text = `the disk reported an error: ${checkedFailure.code}: ${checkedFailure.message}`;
      this.telemetry.note("error", this.#damage ? `an integrity check has found damage: ${this.#damage}` : text, {});
    }
    // The check of a large file delays writes, so it must be rare.
    const now = performance.now();
    this.#quietUntil = now + Math.max(quietMs, 20 * (now - startedAt));
  }

  requireUndamaged(): void {
    if (this.#damage) throw new ServiceError("ServiceUnavailable", `${damagedText} Nothing was saved.`, this.#damage);
  }

  toReadError(failure: SqliteFailure): ServiceError {
    return this.#damage && looksDamaged(failure)
      ? new ServiceError("ServiceUnavailable", damagedText, this.#damage)
      : toReadError(failure);
  }
}

const damagedText = "The store's database is damaged, and must be restored.";
const advice = "stop the service, and restore a backup with animal-store restore FILE --replace";
const quietMs = 10_000;
