import { StoreOpenError } from "./store.ts";

export interface SchemaVersion {
  /** 0 where there is no store. */
  readonly version: number;
  /** The oldest schema whose programs work with this one as well. */
  readonly oldestProgram: number;
}

export interface MigrationFacts {
  readonly version: number;
  readonly name: string;
  /**
   * The oldest schema whose programs go on working, beside newer ones, once this was done. It is stored with the migration, so
   * that those programs know of it. Its own version if there are none.
   */
  readonly oldestProgram: number;
}

/** Refuses a schema that programs which know no more than `known` do not work with. Throws StoreOpenError. */
export function requireKnownSchema(subject: string, { version, oldestProgram }: SchemaVersion, known: number): void {
  if (version <= known || oldestProgram <= known) return;
  throw new StoreOpenError(
    `${subject} was written by a newer version of animal-store (its schema is ${version} and needs a program for schema ${oldestProgram} or later; this one is for ${known}). Use that version.`,
  );
}
