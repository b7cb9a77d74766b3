import { connectWriter } from "./connect.ts";
import { isOwnFault, type SqliteFailure, toFailure } from "./errors.ts";
import { fileIsGone, inodeOf } from "./file.ts";
import { prepareKeyWrites } from "./keys.ts";
import { preparePetWrites } from "./pets.ts";
import { prepareTransferWrites } from "./transfer.ts";

/** Everything that can be written. Each write is one call that sees no other half done. */
export type Writes = ReturnType<typeof preparePetWrites> &
  ReturnType<typeof prepareKeyWrites> &
  ReturnType<typeof prepareTransferWrites>;

export type Write = { [Name in keyof Writes]: { name: Name; argument: Parameters<Writes[Name]>[0] } }[keyof Writes];

export type WriteOutcome = { readonly result: unknown } | { readonly failure: SqliteFailure };

export type ToWriter = { readonly open: string } | { readonly writes: readonly Write[] } | { readonly close: true };

/** An outcome for each write, in the same order, none for a message without writes; or why no more can be written. */
export type FromWriter = { readonly outcomes: readonly WriteOutcome[] } | { readonly fault: string };

declare const self: Worker;

let commit: (writes: readonly Write[]) => WriteOutcome[];
let close: () => void;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  try {
    if ("open" in data) open(data.open);
    else if ("writes" in data) reply({ outcomes: commit(data.writes) });
    else {
      close();
      reply({ outcomes: [] });
    }
  } catch (error) {
    reply({ fault: error instanceof Error ? error.message : String(error) });
  }
};

function open(path: string): void {
  const database = connectWriter(path);
  const inode = inodeOf(path);
  const writes: Writes = {
    ...preparePetWrites(database),
    ...prepareKeyWrites(database),
    ...prepareTransferWrites(database),
  };
  const perform = ({ name, argument }: Write): WriteOutcome => ({
    result: (writes[name] as (argument: Write["argument"]) => unknown)(argument),
  });
  const together = database.transaction((batch: readonly Write[]) => batch.map(perform)).immediate;

  commit = (batch) => {
    // What is written to a file without a name is lost. Nothing but a new start can mend that.
    if (inodeOf(path) !== inode) throw new Error(fileIsGone);
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
