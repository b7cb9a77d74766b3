import type { Caller } from "../../domain/key.ts";
import type { Room } from "../../wire/incoming-body.ts";

export interface BodyMemoryLimits {
  readonly bytes: number;
  /** So that the others find room too. */
  readonly bytesPerKey: number;
}

export const defaultBodyMemoryLimits: BodyMemoryLimits = { bytes: 64 * 1024 * 1024, bytesPerKey: 16 * 1024 * 1024 };

/** The room for large bodies of which the rest is still to come: whoever sends many and never ends them would fill the memory. */
export class BodyMemory {
  #bytes = 0;
  readonly #bytesOf = new Map<Caller["family"], number>();

  constructor(readonly limits: BodyMemoryLimits) {}

  /** How much of it is taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** That of a key, and of those that take its place. */
  of(family: Caller["family"]): Room {
    return {
      take: (bytes) => {
        const isThere =
          this.#bytes + bytes <= this.limits.bytes &&
          (this.#bytesOf.get(family) ?? 0) + bytes <= this.limits.bytesPerKey;
        if (isThere) this.#add(family, bytes);
        return isThere;
      },
      free: (bytes) => this.#add(family, -bytes),
    };
  }

  #add(family: Caller["family"], bytes: number): void {
    this.#bytes += bytes;
    const ofKey = (this.#bytesOf.get(family) ?? 0) + bytes;
    if (ofKey > 0) this.#bytesOf.set(family, ofKey);
    else this.#bytesOf.delete(family);
  }
}
