import type { KnownKey, KnownKeys } from "../../access/known-keys.ts";
import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { Semaphore } from "../../base/semaphore.ts";
import { type Caller, getKeyState, includesScope, type Scope } from "../../domain/key.ts";
import { hashKey } from "../../domain/key-secret.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import { AddressLimit } from "./address-limit.ts";

export class Authenticator {
  readonly #wrongKeyLimit: AddressLimit;
  /** Limits concurrent look-ups for addresses that have sent many wrong keys, so that other clients can still reach the store. */
  readonly #suspectLookUps = new Semaphore(2);

  constructor(
    readonly keys: KnownKeys,
    maxWrongKeys = defaultMaxWrongKeys,
  ) {
    this.#wrongKeyLimit = new AddressLimit(
      { requests: maxWrongKeys, seconds: 60 },
      keys.stopwatch,
      "wrong_keys",
      "Too many wrong API keys were sent from this IP address. Wait before the next one.",
    );
  }

  /**
   * Admits every valid key. Once an address has sent too many wrong keys, each new wrong key gets TooManyRequests, and a wrong key that was
   * already counted gets Unauthorized. `maxAgeMs` is the maximum age of a cached look-up.
   */
  authenticate(exchange: Exchange, maxAgeMs?: number): Awaitable<Caller> {
    const { token } = exchange;
    if (!token) throw createUnauthorizedError("The API key is missing. Send it as Authorization: Bearer <API_KEY>.");
    const key = this.keys.find(token, maxAgeMs, () =>
      this.#wrongKeyLimit.isReached(exchange.clientAddress()) ? this.#suspectLookUps : undefined,
    );
    return mapAwaitable(key, (known) => this.#admit(known, token, exchange));
  }

  #admit(key: KnownKey | undefined, token: string, exchange: Exchange): Caller {
    if (!key) {
      // Each wrong key counts once: a stale key that is sent repeatedly is no attack. Part of the hash is enough, and saves memory.
      this.#wrongKeyLimit.count(exchange.clientAddress(), hashKey(token).toString("base64", 0, 12));
      throw createUnauthorizedError("The API key is not valid. Use another one.", invalidTokenDetail);
    }
    if (key === "environment") return { key, name: key, family: key, scope: "admin", expiresAt: null };
    const now = this.keys.clock();
    const state = getKeyState(key, now);
    if (state === "expired" || state === "revoked") {
      // Determines the address for the log, so that operators see where the key is still in use.
      exchange.clientAddress();
      throw createUnauthorizedError(`The API key is ${state}. Use another one.`, invalidTokenDetail);
    }
    this.keys.noteUse(key, now);
    return { key: key.id, name: key.name, family: key.family, scope: key.scope, expiresAt: key.expiresAt };
  }
}

export function requireScope(caller: Caller, required: Scope): void {
  if (includesScope(caller.scope, required)) return;
  throw new HttpError(
    "Forbidden",
    `This needs a key with the scope ${required}; the scope of this one is ${caller.scope}.`,
    { "WWW-Authenticate": `${challenge}, error="insufficient_scope", scope="${required}"` },
  );
}

const challenge = 'Bearer realm="animal-store"';
const invalidTokenDetail = ', error="invalid_token"';
export const defaultMaxWrongKeys = 20;

function createUnauthorizedError(message: string, detail = ""): HttpError {
  return new HttpError("Unauthorized", message, { "WWW-Authenticate": challenge + detail });
}
