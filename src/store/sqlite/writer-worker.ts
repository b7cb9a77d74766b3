import { connectWriter } from "./connect.ts";
import { isOwnFault, type SqliteFailure, toFailure } from "./errors.ts";
import { prepareKeyWrites } from "./keys.ts";
import { preparePetWrites } from "./pets.ts";

/** Everything that can be written. Each write is one call that sees no other half done. */
export type Writes = ReturnType<typeof preparePetWrites> & ReturnType<typeof prepareKeyWrites>;

export type Write = { [Name in keyof Writes]: { name: Name; argument: Parameters<Writes[Name]>[0] } }[keyof Writes];

export type WriteOutcome = { readonly result: unknown } | { readonly failure: SqliteFailure };

export type ToWriter = { readonly open: string } | { readonly writes: readonly Write[] } | { readonly close: true };

/** An outcome for each write, in the same order; none for a message without writes. */
export type FromWriter = readonly WriteOutcome[];

declare const self: Worker;

let commit: (writes: readonly Write[]) => WriteOutcome[];
let close: () => void;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if ("open" in data) open(data.open);
  else if ("writes" in data) reply(commit(data.writes));
  else {
    close();
    reply([]);
  }
};

function open(path: string): void {
  const database = connectWriter(path);
  const writes: Writes = { ...preparePetWrites(database), ...prepareKeyWrites(database) };
  const perform = ({ name, argument }: Write): WriteOutcome => ({
    result: (writes[name] as (argument: Write["argument"]) => unknown)(argument),
  });
  const together = database.transaction((batch: readonly Write[]) => batch.map(perform)).immediate;

  commit = (batch) => {
    try {
      return together(batch);
    } catch (error) {
      const failure = toFailure(error);
      // A write that cannot be made must not take with it those that only shared its transaction.
      if (batch.length > 1 && isOwnFault(failure)) return batch.flatMap((write) => commit([write]));
      return batch.map(() => ({ failure }));
    }
  };
  close = () => database.close(true);
}

function reply(message: FromWriter): void {
  self.postMessage(message);
}
