import { timingSafeEqual } from "node:crypto";
import type { Awaitable } from "../base/awaitable.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Semaphore } from "../base/semaphore.ts";
import type { Key } from "../domain/key.ts";
import { hashKey, isWellFormedKey } from "../domain/key-secret.ts";
import type { KeyStore, KeyUse } from "../store/store.ts";

export type KnownKey = Key | "environment";

/** Finds keys by their secrets, caches them for less than a second, and records when they are used. */
export class KnownKeys {
  readonly #environmentHash: Buffer | undefined;
  readonly #cache = new Map<string, CachedKey>();
  readonly #lookUps = new Map<string, LookUp>();
  readonly #uses = new Map<number, KeyUse>();

  constructor(
    readonly keys: KeyStore,
    readonly clock: Clock,
    readonly stopwatch: Stopwatch,
    environmentKey?: string,
  ) {
    if (environmentKey !== undefined) this.#environmentHash = hashKey(environmentKey);
  }

  /** Returns even expired and revoked keys. `semaphoreFor` may limit the look-ups of keys that are not cached. */
  find(token: string, maxAgeMs = cacheMs, semaphoreFor?: () => Semaphore | undefined): Awaitable<KnownKey | undefined> {
    const id = toCacheId(token);
    const cached = this.#cache.get(id);
    if (cached && this.#isFresh(cached, maxAgeMs)) return cached.key;
    return this.#lookUp(token, id, maxAgeMs, cached ? undefined : semaphoreFor?.());
  }

  noteUse({ id, lastUsedAt }: Key, now: number): void {
    if (Math.abs(now - (lastUsedAt ?? 0)) > useResolutionMs) this.#uses.set(id, { id, at: now });
  }

  /** Saves when keys were last used. Called periodically, because the saved time need not be exact. */
  async recordUses(): Promise<void> {
    const uses = [...this.#uses.values()];
    if (uses.length === 0) return;
    this.#uses.clear();
    try {
      await this.keys.recordUse(uses);
    } catch (error) {
      // The next call saves these uses, except those of keys that were used again meanwhile.
      for (const use of uses) if (!this.#uses.has(use.id)) this.#uses.set(use.id, use);
      throw error;
    }
  }

  /** Joins a pending look-up of the same key that started less than `maxAgeMs` ago, or starts one. */
  #lookUp(token: string, id: string, maxAgeMs: number, semaphore?: Semaphore): Promise<KnownKey | undefined> {
    const pending = this.#lookUps.get(id);
    if (pending && this.#isFresh(pending, maxAgeMs)) return pending.result;
    const lookUp: LookUp = { startedAt: Number.POSITIVE_INFINITY, result: noKey };
    const find = () => {
      lookUp.startedAt = this.stopwatch();
      return this.#find(token);
    };
    lookUp.result = semaphore ? semaphore.run(find) : find();
    this.#lookUps.set(id, lookUp);
    const forget = () => {
      if (this.#lookUps.get(id) === lookUp) this.#lookUps.delete(id);
    };
    lookUp.result.then((key) => key && this.#remember(id, { key, startedAt: lookUp.startedAt })).then(forget, forget);
    return lookUp.result;
  }

  async #find(token: string): Promise<KnownKey | undefined> {
    // A header is decoded as Latin-1, so each character is one byte.
    const hash = hashKey(Buffer.from(token, "latin1"));
    if (this.#environmentHash && timingSafeEqual(this.#environmentHash, hash)) return "environment";
    return isWellFormedKey(token) ? await this.keys.findByHash(hash) : undefined;
  }

  #remember(id: string, cachedKey: CachedKey): void {
    if (this.#cache.size >= maxCachedKeys) this.#cache.clear();
    this.#cache.set(id, cachedKey);
  }

  #isFresh({ startedAt }: { readonly startedAt: number }, maxAgeMs: number): boolean {
    return this.stopwatch() - startedAt < maxAgeMs;
  }
}

interface LookUp {
  /** Start of the look-up by the stopwatch, after any wait for its semaphore. The result is at least as recent as this start. */
  startedAt: number;
  result: Promise<KnownKey | undefined>;
}

const noKey = Promise.resolve(undefined);

interface CachedKey {
  readonly key: KnownKey;
  readonly startedAt: number;
}

/** Returns the hash by which a key is cached: as hard to reverse as the stored hash, but cheap enough for every request. */
function toCacheId(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}

/** Less than a second, because a key must stop working within a second after another process has revoked it. */
const cacheMs = 900;
const maxCachedKeys = 10_000;
const useResolutionMs = 60_000;
