import { timingSafeEqual } from "node:crypto";
import type { Awaitable } from "../../base/awaitable.ts";
import type { Clock, Stopwatch } from "../../base/clock.ts";
import { type Caller, includesScope, type Key, keyState, type Scope } from "../../domain/key.ts";
import { hashKey, isWellFormedKey } from "../../domain/key-secret.ts";
import type { KeyStore, KeyUse } from "../../store/store.ts";
import { HttpError } from "../reply/errors.ts";
import { AddressLimit } from "./address-limit.ts";

/** Tells callers by their keys. */
export class Authenticator {
  readonly #environmentHash: Buffer | undefined;
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookUps = new Map<string, LookUp>();
  readonly #uses = new Map<number, KeyUse>();
  readonly #wrongKeys: AddressLimit;

  constructor(
    readonly keys: KeyStore,
    readonly clock: Clock,
    readonly stopwatch: Stopwatch,
    environmentKey?: string,
    mostWrongKeys = usualMostWrongKeys,
  ) {
    this.#environmentHash = environmentKey === undefined ? undefined : hashKey(environmentKey);
    this.#wrongKeys = new AddressLimit(
      { requests: mostWrongKeys, seconds: 60 },
      stopwatch,
      "wrong_keys",
      "Too many wrong API keys were sent from this IP address. Wait before the next one.",
    );
  }

  /**
   * A valid key is always let in, whatever else has come from its address; wrong ones are told to wait, once there were
   * many. What is remembered of a key is trusted for so many milliseconds. Throws Unauthorized and TooManyRequests.
   */
  authenticate(token: string | undefined, sender: Sender, trustMs = memoryMs): Awaitable<Caller> {
    if (!token) throw unauthorized("The API key is missing. Send it as Authorization: Bearer <API_KEY>.");
    const name = nameOf(token);
    const remembered = this.#remembered.get(name);
    if (remembered && this.#isFresh(remembered, trustMs)) return this.#admit(remembered.key, sender);
    return this.#admitFound(this.#lookUp(token, name, trustMs), sender);
  }

  /** Saves when keys were last used. Called periodically, since it need not be exact to the second. */
  async recordUses(): Promise<void> {
    const uses = [...this.#uses.values()];
    this.#uses.clear();
    if (uses.length > 0) await this.keys.recordUse(uses);
  }

  async #admitFound({ found }: LookUp, sender: Sender): Promise<Caller> {
    const key = await found;
    if (key) return this.#admit(key, sender);
    this.#wrongKeys.count(sender.clientAddress());
    throw unauthorized("The API key is not valid. Send another one.", invalidToken);
  }

  /** However many clients use a key, the store is asked by one of them, unless it has not answered for long. */
  #lookUp(token: string, name: string, trustMs: number): LookUp {
    const underWay = this.#lookUps.get(name);
    if (underWay && this.#isFresh(underWay, trustMs)) return underWay;
    const lookUp: LookUp = { startedAt: this.stopwatch(), found: this.#find(token) };
    this.#lookUps.set(name, lookUp);
    lookUp.found
      .then((key) => key && this.#remember(name, { key, startedAt: lookUp.startedAt }))
      // Its callers get the error.
      .catch(() => {})
      .finally(() => {
        if (this.#lookUps.get(name) === lookUp) this.#lookUps.delete(name);
      });
    return lookUp;
  }

  #remember(name: string, read: Remembered): void {
    const before = this.#remembered.get(name);
    if (before && before.startedAt > read.startedAt) return;
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(name, read);
  }

  #isFresh({ startedAt }: { readonly startedAt: number }, trustMs = memoryMs): boolean {
    return this.stopwatch() - startedAt < trustMs;
  }

  async #find(token: string): Promise<Key | "environment" | undefined> {
    // A header's bytes arrive as one character each; these are the bytes of the key.
    const hash = hashKey(Buffer.from(token, "latin1"));
    if (this.#environmentHash && timingSafeEqual(this.#environmentHash, hash)) return "environment";
    return isWellFormedKey(token) ? await this.keys.find(hash) : undefined;
  }

  #admit(key: Remembered["key"], sender: Sender): Caller {
    if (key === "environment") return { key, name: key, line: key, scope: "admin", expiresAt: null };
    const now = this.clock();
    const state = keyState(key, now);
    if (state === "expired" || state === "revoked") {
      // It is no guess, and not limited as such; but operators want to know where it is still used from.
      sender.clientAddress();
      throw unauthorized(`The API key is ${state}. Send another one.`, invalidToken);
    }
    if (Math.abs(now - (key.lastUsedAt ?? 0)) > useGrainMs) this.#uses.set(key.id, { id: key.id, at: now });
    return { key: key.id, name: key.name, line: key.line, scope: key.scope, expiresAt: key.expiresAt };
  }
}

interface LookUp {
  /** By the stopwatch. What comes of it was true then, or later. */
  readonly startedAt: number;
  readonly found: Promise<Key | "environment" | undefined>;
}

/** The sender of a key. */
interface Sender {
  clientAddress(): string;
}

interface Remembered {
  readonly key: Key | "environment";
  /** When its look-up started. */
  readonly startedAt: number;
}

/** What a key is remembered by: as hard to turn back as what is stored, and cheap enough to make for every request. */
function nameOf(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}

/** Throws Forbidden. */
export function requireScope(caller: Caller, needed: Scope): void {
  if (includesScope(caller.scope, needed)) return;
  throw new HttpError(
    "Forbidden",
    `This needs a key with the scope ${needed}; the scope of this one is ${caller.scope}.`,
    { "WWW-Authenticate": `${challenge}, error="insufficient_scope", scope="${needed}"` },
  );
}

const challenge = 'Bearer realm="animal-store"';
const invalidToken = ', error="invalid_token"';

/** A key that was revoked elsewhere must stop working within a second. */
const memoryMs = 900;
const mostRemembered = 10_000;
const usualMostWrongKeys = 20;
const useGrainMs = 60_000;

function unauthorized(message: string, detail = ""): HttpError {
  return new HttpError("Unauthorized", message, { "WWW-Authenticate": challenge + detail });
}
