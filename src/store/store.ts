import type { Awaitable } from "../domain/awaitable.ts";
import type { Int64 } from "../domain/int64.ts";
import type { Key, NewKey } from "../domain/key.ts";
import type { Page, PageRequest } from "../domain/page.ts";
import type { NewPet, Pet, PetFilter } from "../domain/pet.ts";

/**
 * Where the animals and the keys are kept. Every method may throw ServiceUnavailable, when the
 * store cannot answer now but may soon; the comments name what else comes back.
 */
export interface Store {
  readonly pets: PetStore;
  readonly keys: KeyStore;
  readonly transfer: Transfer;

  /** Returns when the store can answer. */
  ready(): Awaitable<void>;

  /** Finishes the writes under way, then lets go of everything. Nothing may be called after it. */
  close(): Promise<void>;
}

export interface PetStore {
  /** Ascending by id. Every animal that is there from the first page of a walk to its last is on exactly one page. */
  list(filter: PetFilter, page: PageRequest): Awaitable<Page<Pet>>;

  get(id: Int64): Awaitable<Pet | undefined>;

  /** Returns after the commit. Throws InsufficientStorage when the disk is full or the ids are used up. */
  create(pet: NewPet): Promise<Pet>;
}

export interface KeyStore {
  list(): Awaitable<Key[]>;

  find(hash: Uint8Array): Awaitable<Key | undefined>;

  create(key: NewKey, hash: Uint8Array): Promise<Key>;

  /** Creates the key unless there is one, or has ever been one; then returns undefined. */
  createFirst(key: NewKey, hash: Uint8Array): Promise<Key | undefined>;

  /**
   * Creates the successor, and lets the key with that id expire at `retiresAt` if it would live
   * longer. Returns undefined, and creates nothing, unless an active key has that id.
   */
  rotate(id: number, retiresAt: number, successor: NewKey, hash: Uint8Array): Promise<Key | undefined>;

  /** Returns undefined when no key has that id; a key that was revoked before stays as it was. */
  revoke(id: number, at: number): Promise<Key | undefined>;

  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/** For moving everything from one store to another; the service itself has no use for it. */
export interface Transfer {
  countPets(): Awaitable<number>;

  readKeys(): Awaitable<KeyRecord[]>;

  /** The highest ids ever given, which may be those of what is gone. */
  lastIds(): Awaitable<LastIds>;

  /** Writes what another store had, with the ids that it had there, over what has those ids here. */
  writePets(pets: readonly Pet[]): Promise<void>;
  writeKeys(keys: readonly KeyRecord[]): Promise<void>;

  /** From then on, no id up to these is given. */
  reserveIds(last: LastIds): Promise<void>;
}

export interface KeyRecord extends Key {
  readonly hash: Uint8Array;
}

export interface LastIds {
  readonly pets: number;
  readonly keys: number;
}

export interface KeyUse {
  readonly id: number;
  readonly at: number;
}

/** The database cannot be used as it is; the message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}
