import type { Caller } from "../../domain/key.ts";
import type { Room } from "../../wire/incoming-body.ts";

export interface BodyRoomLimits {
  readonly bytes: number;
  /** So that the others find room too. */
  readonly bytesOfKey: number;
}

export const defaultBodyRoomLimits: BodyRoomLimits = { bytes: 64 * 1024 * 1024, bytesOfKey: 16 * 1024 * 1024 };

/** The room for large bodies of which the rest is still to come: whoever sends many and never ends them would fill the memory. */
export class BodyRoom {
  #bytes = 0;
  readonly #bytesOf = new Map<Caller["line"], number>();

  constructor(readonly limits: BodyRoomLimits) {}

  /** How much of it is taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** That of a key, and of those that take its place. */
  of(line: Caller["line"]): Room {
    return {
      take: (bytes) => {
        const isThere =
          this.#bytes + bytes <= this.limits.bytes && (this.#bytesOf.get(line) ?? 0) + bytes <= this.limits.bytesOfKey;
        if (isThere) this.#add(line, bytes);
        return isThere;
      },
      free: (bytes) => this.#add(line, -bytes),
    };
  }

  #add(line: Caller["line"], bytes: number): void {
    this.#bytes += bytes;
    const ofKey = (this.#bytesOf.get(line) ?? 0) + bytes;
    if (ofKey > 0) this.#bytesOf.set(line, ofKey);
    else this.#bytesOf.delete(line);
  }
}
