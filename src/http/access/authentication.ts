import type { KnownKey, KnownKeys } from "../../access/known-keys.ts";
import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { Semaphore } from "../../base/semaphore.ts";
import { type Caller, includesScope, keyState, type Scope } from "../../domain/key.ts";
import { hashKey } from "../../domain/key-secret.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import { AddressLimit } from "./address-limit.ts";

/** Tells callers by their keys. */
export class Authenticator {
  readonly #wrongKeys: AddressLimit;
  /** For keys from addresses that have sent many wrong ones, so that looking them up does not keep others from the store. */
  readonly #suspects = new Semaphore(2);

  constructor(
    readonly keys: KnownKeys,
    maxWrongKeys = defaultMaxWrongKeys,
  ) {
    this.#wrongKeys = new AddressLimit(
      { requests: maxWrongKeys, seconds: 60 },
      keys.stopwatch,
      "wrong_keys",
      "Too many wrong API keys were sent from this IP address. Wait before the next one.",
    );
  }

  /**
   * Admits a valid key always, whatever else its address sends. Beyond the limit on different wrong keys, further ones get
   * TooManyRequests; one that was counted before gets Unauthorized each time. `trustMs` is how long a look-up is trusted.
   */
  authenticate(token: string | undefined, exchange: Exchange, trustMs?: number): Awaitable<Caller> {
    if (!token) throw unauthorized("The API key is missing. Send it as Authorization: Bearer <API_KEY>.");
    const key = this.keys.find(token, trustMs, () =>
      this.#wrongKeys.isReached(exchange.clientAddress()) ? this.#suspects : undefined,
    );
    return mapAwaitable(key, (known) => this.#admit(known, token, exchange));
  }

  #admit(key: KnownKey | undefined, token: string, exchange: Exchange): Caller {
    if (!key) {
      // A client that keeps sending a stale key does not guess. Parts of hashes bound the memory.
      this.#wrongKeys.count(exchange.clientAddress(), hashKey(token).toString("base64", 0, 12));
      throw unauthorized("The API key is not valid. Use another one.", invalidToken);
    }
    if (key === "environment") return { key, name: key, family: key, scope: "admin", expiresAt: null };
    const now = this.keys.clock();
    const state = keyState(key, now);
    if (state === "expired" || state === "revoked") {
      // It is no guess, and not limited as such; but operators want to know where it is still used from.
      exchange.clientAddress();
      throw unauthorized(`The API key is ${state}. Use another one.`, invalidToken);
    }
    this.keys.noteUse(key, now);
    return { key: key.id, name: key.name, family: key.family, scope: key.scope, expiresAt: key.expiresAt };
  }
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
export const defaultMaxWrongKeys = 20;

function unauthorized(message: string, detail = ""): HttpError {
  return new HttpError("Unauthorized", message, { "WWW-Authenticate": challenge + detail });
}
