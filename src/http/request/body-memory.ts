import type { Caller } from "../../domain/key.ts";
import type { MemoryBudget } from "../../wire/incoming-body.ts";

export interface BodyMemoryLimits {
  readonly maxBytes: number;
  /** Maximum per key family, so that memory is left for other families. */
  readonly maxBytesPerFamily: number;
}

export const defaultBodyMemoryLimits: BodyMemoryLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxBytesPerFamily: 16 * 1024 * 1024,
};

/** Limits the memory of large incomplete bodies: clients that send many and never finish them would otherwise exhaust it. */
export class BodyMemory {
  bytes = 0;
  readonly #bytesByFamily = new Map<Caller["family"], number>();

  constructor(readonly limits: BodyMemoryLimits) {}

  budgetFor(family: Caller["family"]): MemoryBudget {
    return {
      reserve: (bytes) => {
        const isEnoughLeft =
          this.bytes + bytes <= this.limits.maxBytes &&
          (this.#bytesByFamily.get(family) ?? 0) + bytes <= this.limits.maxBytesPerFamily;
        if (isEnoughLeft) this.#add(family, bytes);
        return isEnoughLeft;
      },
      release: (bytes) => this.#add(family, -bytes),
    };
  }

  #add(family: Caller["family"], bytes: number): void {
    this.bytes += bytes;
    const familyBytes = (this.#bytesByFamily.get(family) ?? 0) + bytes;
    if (familyBytes > 0) this.#bytesByFamily.set(family, familyBytes);
    else this.#bytesByFamily.delete(family);
  }
}
