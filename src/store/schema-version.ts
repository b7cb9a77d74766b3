import { StoreOpenError } from "./store.ts";

export interface SchemaVersion {
  readonly version: number;
  /** The oldest schema version whose programs also work with this schema. */
  readonly oldestProgram: number;
}

/** Throws StoreOpenError if programs for the schema `known` do not work with the given schema. */
export function requireKnownSchema(subject: string, { version, oldestProgram }: SchemaVersion, known: number): void {
  if (version <= known || oldestProgram <= known) return;
  throw new StoreOpenError(
    `${subject} was written by a newer version of animal-store (its schema is ${version} and needs a program for schema ${oldestProgram} or later; this one is for ${known}). Use that version.`,
  );
}
