import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { hashKey, includesScope, isWellFormedKey, type Key, keyState, type Scope } from "../domain/key.ts";
import type { KeyStore, KeyUse } from "../store/store.ts";
import { HttpError } from "./errors.ts";

/** Who sent a request. */
export interface Caller {
  /** The id of the key, or `environment` for the one that is configured and not stored. */
  readonly key: number | "environment";
  readonly scope: Scope;
}

/** Tells callers by their keys. */
export class Authenticator {
  readonly #environmentHash: Buffer | undefined;
  readonly #remembered = new Map<string, { readonly key: Key; readonly readAt: number }>();
  readonly #uses = new Map<number, KeyUse>();

  constructor(
    readonly keys: KeyStore,
    readonly clock: Clock,
    environmentKey?: string,
  ) {
    this.#environmentHash = environmentKey === undefined ? undefined : hashKey(environmentKey);
  }

  /** Throws Unauthorized. */
  async authenticate(authorization: string | null): Promise<Caller> {
    const token = tokenOf(authorization);
    if (!token) throw unauthorized("The API key is missing. Send it as Authorization: Bearer <API_KEY>.");
    // A header's bytes arrive as one character each; these are the bytes of the key.
    const hash = hashKey(Buffer.from(token, "latin1"));
    if (this.#environmentHash && timingSafeEqual(this.#environmentHash, hash)) {
      return { key: "environment", scope: "admin" };
    }
    const key = isWellFormedKey(token) ? await this.#find(hash) : undefined;
    const now = this.clock();
    const state = key && keyState(key, now);
    if (!key || state === "expired" || state === "revoked") {
      throw unauthorized(`The API key is ${state ?? "not valid"}. Send another one.`, ', error="invalid_token"');
    }
    if (now - (key.lastUsedAt ?? 0) > useGrain) this.#uses.set(key.id, { id: key.id, at: now });
    return { key: key.id, scope: key.scope };
  }

  /** Writes down when keys were last used. Called now and then, since it matters to nobody by the second. */
  async recordUses(): Promise<void> {
    const uses = [...this.#uses.values()];
    this.#uses.clear();
    if (uses.length > 0) await this.keys.recordUse(uses);
  }

  async #find(hash: Buffer): Promise<Key | undefined> {
    const name = hash.toString("base64");
    const remembered = this.#remembered.get(name);
    if (remembered && Math.abs(this.clock() - remembered.readAt) < memory) return remembered.key;
    const key = await this.keys.find(hash);
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    if (key) this.#remembered.set(name, { key, readAt: this.clock() });
    else this.#remembered.delete(name);
    return key;
  }
}

/** The key that an `Authorization` header carries, if it carries one. */
export function tokenOf(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trimEnd();
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

/** A key that was revoked elsewhere must stop working within a second. */
const memory = 500;
const mostRemembered = 10_000;
const useGrain = 60_000;

function unauthorized(message: string, detail = ""): HttpError {
  return new HttpError("Unauthorized", message, { "WWW-Authenticate": challenge + detail });
}
