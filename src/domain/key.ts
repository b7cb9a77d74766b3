import type { Int64 } from "../base/int64.ts";
import { notFound, ServiceError } from "./errors.ts";
import { type Expectation, requireExpected } from "./expectation.ts";
import { createPresenter, type ResourceFields, type ValuesOf } from "./fields.ts";
import { includesScope, type Scope, scopes } from "./scope.ts";

// Scopes have their own module, because the console needs nothing else from this one.
export { includesScope, type Scope, scopes } from "./scope.ts";

export const maxKeyNameLength = 100;

export const keyFields = {
  id: { kind: "id" },
  name: { kind: "name", maxLength: maxKeyNameLength, set: "once" },
  scope: { kind: "choice", of: scopes, set: "once" },
  createdAt: { kind: "time" },
  expiresAt: { kind: "time", isOptional: true, set: "once" },
  rotatedAt: { kind: "time", isOptional: true },
  revokedAt: { kind: "time", isOptional: true },
  lastUsedAt: { kind: "time", isOptional: true },
  /** The id of the first key in the key family. A successor belongs to the family of the key that it replaces. */
  family: { kind: "id" },
} as const satisfies ResourceFields;

export type Key = ValuesOf<typeof keyFields>;
export type NewKey = Pick<Key, "name" | "scope" | "createdAt" | "expiresAt">;

export const keyStates = ["active", "retiring", "expired", "revoked"] as const;
export type KeyState = (typeof keyStates)[number];

export interface Caller {
  /** The id of the key, or `environment` for the configured key, which is not stored. */
  readonly key: number | "environment";
  readonly name: string;
  readonly family: number | "environment";
  readonly scope: Scope;
  readonly expiresAt: number | null;
}

/** The key that creates another one. The new key has at most the same scope and lasts at most as long. */
export type KeyMaker = Pick<Caller, "scope" | "expiresAt">;

export interface KeyRotation {
  readonly at: number;
  /** The old key expires at this time or earlier. */
  readonly retiresAt: number;
  /** The expiry of the new key. By default, the new key gets the lifetime of the old key, limited by the expiry of the maker. */
  readonly expiresAt?: number | null | undefined;
  /** Absent for the operator, who has no limits. */
  readonly maker?: KeyMaker | undefined;
  /** True to refuse a rotation after which no admin key would last as long as the old key. */
  readonly keepLastAdmin: boolean;
}

export function getKeyState(key: Key, now: number): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return key.rotatedAt === null ? "active" : "retiring";
}

export function presentKey(key: Key, now: number) {
  const { id, name, scope, family: _family, ...times } = present(key);
  return { id, name, scope, state: getKeyState(key, now), ...times };
}

const present = createPresenter(keyFields);

export type PresentedKey = ReturnType<typeof presentKey>;

export function requireActive(key: Key | undefined, id: Int64, now: number, expected: Expectation<Key>): Key {
  if (!key) throw notFound("key", id);
  requireExpected(key, expected);
  const state = getKeyState(key, now);
  if (state === "active") return key;
  const advice = state === "retiring" ? "Rotate its successor." : "Create a new one.";
  throw new ServiceError("Conflict", `Key ${id} is ${state}. ${advice}`);
}

export function createSuccessor({ name, scope, ...old }: Key, { at, expiresAt, maker }: KeyRotation): NewKey {
  const inheritedExpiry = old.expiresAt === null ? null : Math.min(at + old.expiresAt - old.createdAt, maxTime);
  const defaults = { name, scope, createdAt: at, expiresAt: earliestOf(inheritedExpiry, maker?.expiresAt ?? null) };
  if (expiresAt === undefined) return defaults;
  const successor = { ...defaults, expiresAt };
  requireGrantable(successor, maker);
  return successor;
}

export function requireGrantable({ scope, createdAt, expiresAt }: NewKey, maker: KeyMaker | undefined): void {
  if (!maker) return;
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw new ServiceError("BadRequest", "expiresAt must be in the future.");
  }
  if (!includesScope(maker.scope, scope)) {
    const message = `This key has the scope ${maker.scope}, so it cannot create a key with the scope ${scope}.`;
    throw new ServiceError("Forbidden", message);
  }
  if (earliestOf(maker.expiresAt, expiresAt) !== expiresAt) {
    const end = new Date(maker.expiresAt ?? 0).toISOString();
    const message = `This key expires at ${end}, so it cannot create a key that lasts longer. Send an expiresAt that is no later.`;
    throw new ServiceError("Forbidden", message);
  }
}

/** The latest time that RFC 3339 can express. */
const maxTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function earliestOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Refuses to end an admin key if neither its successor nor another active admin key lasts as long. */
export function requireLastingAdmin(key: Key, adminKeys: readonly Key[], now: number, successor?: NewKey): void {
  const state = getKeyState(key, now);
  if (key.scope !== "admin" || state === "expired" || state === "revoked") return;
  const lastsAsLong = ({ expiresAt }: NewKey) => earliestOf(expiresAt, key.expiresAt) === key.expiresAt;
  if (successor && lastsAsLong(successor)) return;
  const canReplace = (admin: Key) => admin.id !== key.id && getKeyState(admin, now) === "active" && lastsAsLong(admin);
  if (adminKeys.some(canReplace)) return;
  const reason = `No other active key with the scope admin lasts as long as key ${key.id}`;
  const message = successor
    ? `${reason}, and its successor would not either. Rotate it with a key that lasts as long and without an earlier expiresAt, or create another admin key first.`
    : `${reason}. Create one first, or rotate this one.`;
  throw new ServiceError("Conflict", message);
}

/** Returns the error for a repeated request that was sent with another API key of the same family. */
export function keyAlreadyShown(id: number): ServiceError {
  const message = `Key ${id} was already created by this request, and is shown only to the key that requested it. Send the request with that key, or revoke key ${id} and create another one with a new Idempotency-Key.`;
  return new ServiceError("UnprocessableContent", message);
}
