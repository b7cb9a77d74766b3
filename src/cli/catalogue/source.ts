import type { DatabaseAddress } from "../../base/database-address.ts";
import type { Pet } from "../../domain/pet.ts";
import { openExistingStore } from "../../store/open-store.ts";
import { type Connection, connect } from "../remote/connection.ts";
import { openForCommand } from "../store/open-for-command.ts";

export interface Source extends AsyncDisposable {
  count(): Promise<number>;
  /** Passes all animals as of one moment, ascending by id, and waits for each batch to be taken. */
  read(take: (pets: readonly Pet[]) => Promise<void>): Promise<void>;
}

/** Requests in flight end when the signal is aborted. */
export function serviceSource(connection: Connection, signal: AbortSignal): Source {
  const { store: service } = connect(connection);
  return {
    count: async () => sum(await service.inventory.get({ signal })),
    async read(take) {
      let lot: Pet[] = [];
      for await (const pet of await service.pets.export({ signal })) {
        if (lot.push(pet as Pet) < lotSize) continue;
        await take(lot);
        lot = [];
      }
      await take(lot);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const lotSize = 1_000;

export async function storeSource(database: DatabaseAddress): Promise<Source> {
  const opened = await openForCommand(openExistingStore, database, { limitMilliseconds });
  const { store } = opened;
  return {
    count: async () => sum(await store.inventory()),
    read: (take) => store.export({ onBegin() {}, onPets: take }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const limitMilliseconds = 600_000;

function sum(inventory: object): number {
  return Object.values(inventory).reduce((all: number, one: number) => all + one, 0);
}
