import { timingSafeEqual } from "node:crypto";
import type { Awaitable } from "../base/awaitable.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Semaphore } from "../base/semaphore.ts";
import type { Key } from "../domain/key.ts";
import { hashKey, isWellFormedKey } from "../domain/key-secret.ts";
import type { KeyStore, KeyUse } from "../store/store.ts";

/** A key of the store, or the configured one, which is not stored. */
export type KnownKey = Key | "environment";

/** Finds keys by their secrets, remembers them for less than a second, and notes when they are used. */
export class KnownKeys {
  readonly #environmentHash: Buffer | undefined;
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookUps = new Map<string, LookUp>();
  readonly #uses = new Map<number, KeyUse>();

  constructor(
    readonly keys: KeyStore,
    readonly clock: Clock,
    readonly stopwatch: Stopwatch,
    environmentKey?: string,
  ) {
    this.#environmentHash = environmentKey === undefined ? undefined : hashKey(environmentKey);
  }

  /**
   * The key, also one that has expired or was revoked; undefined if there is none. What is remembered of it is trusted for so
   * many milliseconds. Whoever asks may say what to wait for before one that is not remembered at all is looked up.
   */
  find(token: string, trustMs = memoryMs, semaphoreOf?: () => Semaphore | undefined): Awaitable<KnownKey | undefined> {
    const name = nameOf(token);
    const remembered = this.#remembered.get(name);
    if (remembered && this.#isFresh(remembered, trustMs)) return remembered.key;
    return this.#lookUp(token, name, trustMs, remembered ? undefined : semaphoreOf?.());
  }

  /** Notes that a key was used, to be saved by `recordUses`. */
  noteUse({ id, lastUsedAt }: Key, now: number): void {
    if (Math.abs(now - (lastUsedAt ?? 0)) > useGrainMs) this.#uses.set(id, { id, at: now });
  }

  /** Saves when keys were last used. Called periodically, since it need not be exact to the second. */
  async recordUses(): Promise<void> {
    const uses = [...this.#uses.values()];
    if (uses.length === 0) return;
    this.#uses.clear();
    try {
      await this.keys.recordUse(uses);
    } catch (error) {
      // They are saved with what comes next.
      for (const use of uses) if (!this.#uses.has(use.id)) this.#uses.set(use.id, use);
      throw error;
    }
  }

  /** However many clients use a key, the store is asked by one of them, unless it has not answered for long. */
  #lookUp(
    token: string,
    name: string,
    trustMs: number,
    semaphore: Semaphore | undefined,
  ): Promise<KnownKey | undefined> {
    const underWay = this.#lookUps.get(name);
    if (underWay && this.#isFresh(underWay, trustMs)) return underWay.found;
    const lookUp: LookUp = { startedAt: Number.POSITIVE_INFINITY, found: nothing };
    const find = () => {
      lookUp.startedAt = this.stopwatch();
      return this.#find(token);
    };
    lookUp.found = semaphore ? semaphore.run(find) : find();
    this.#lookUps.set(name, lookUp);
    lookUp.found
      .then((key) => key && this.#remember(name, { key, startedAt: lookUp.startedAt }))
      // Its callers get the error.
      .catch(() => {})
      .finally(() => {
        if (this.#lookUps.get(name) === lookUp) this.#lookUps.delete(name);
      });
    return lookUp.found;
  }

  async #find(token: string): Promise<KnownKey | undefined> {
    // A header's bytes arrive as one character each; these are the bytes of the key.
    const hash = hashKey(Buffer.from(token, "latin1"));
    if (this.#environmentHash && timingSafeEqual(this.#environmentHash, hash)) return "environment";
    return isWellFormedKey(token) ? await this.keys.findByHash(hash) : undefined;
  }

  #remember(name: string, read: Remembered): void {
    const before = this.#remembered.get(name);
    if (before && before.startedAt > read.startedAt) return;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(name, read);
  }

  #isFresh({ startedAt }: { readonly startedAt: number }, trustMs: number): boolean {
    return this.stopwatch() - startedAt < trustMs;
  }
}

interface LookUp {
  /** By the stopwatch. What comes of it was true then, or later. In the future for as long as it waits for its turn. */
  startedAt: number;
  found: Promise<KnownKey | undefined>;
}

const nothing = Promise.resolve(undefined);

interface Remembered {
  readonly key: KnownKey;
  /** When its look-up started. */
  readonly startedAt: number;
}

/** What a key is remembered by: as hard to turn back as what is stored, and cheap enough to make for every request. */
function nameOf(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}

/** A key that was revoked elsewhere must stop working within a second. */
const memoryMs = 900;
const maxRemembered = 10_000;
const useGrainMs = 60_000;
