import { createHash } from "node:crypto";
import { databaseFlag, readSettings, SettingsError } from "../config.ts";
import type { DatabaseAddress } from "../domain/database-address.ts";
import type { Pet } from "../domain/pet.ts";
import { toJson } from "../http/json.ts";
import { openExistingStore, openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { type Command, exitCodes } from "./command.ts";
import { ProgressBar } from "./progress-bar.ts";

const settings = {
  from: databaseFlag("from", "The database to copy. Stop the service that writes to it first."),
  to: databaseFlag("to", "The database to copy to: a new one, or one that an interrupted copy has left."),
};

export const copyCommand: Command = {
  name: "copy",
  usage: "copy --from URL --to URL",
  summary: "Copy animals and keys from one database to another, with their ids.",
  settings,
  async run(args) {
    const { from, to } = readSettings(settings, args);
    if (!from || !to) throw new SettingsError(["--from and --to are needed: the databases to copy from and to."]);
    await using source = await open(openExistingStore, from);
    await using target = await open(openStore, to);
    if (await holdsOthers(target.store, source.store)) {
      console.error("The database to copy to has animals that the other has not. Nothing was changed; name a new one.");
      return exitCodes.failure;
    }
    await copy(source.store, target.store);
    return await verify(source.store, target.store);
  },
};

async function copy(source: Store, target: Store): Promise<void> {
  const bar = new ProgressBar("Copying ", await source.transfer.countPets());
  let done = 0;
  for await (const pets of pagesOf(source)) {
    await target.transfer.writePets(pets);
    done += pets.length;
    bar.show(done);
  }
  await target.transfer.writeKeys(await source.transfer.readKeys());
  await target.transfer.reserveIds(await source.transfer.lastIds());
}

async function verify(source: Store, target: Store): Promise<number> {
  const total = await source.transfer.countPets();
  const bar = new ProgressBar("Checking", 2 * total);
  const [expected, copied] = [await summaryOf(source, bar, 0), await summaryOf(target, bar, total)];
  if (expected.count === copied.count && expected.checksum === copied.checksum) {
    console.log(`Animals copied: ${copied.count}, keys: ${copied.keys}. Their checksum is ${copied.checksum}.`);
    return exitCodes.success;
  }
  console.error(
    `The copy differs: ${copied.count} animals (checksum ${copied.checksum}), not ${expected.count} (${expected.checksum}). Does something still write to either? Run it again.`,
  );
  return exitCodes.failure;
}

/** Whether copying would write over animals of another store. Those of an interrupted copy are the source's own. */
async function holdsOthers(target: Store, source: Store): Promise<boolean> {
  const { items } = await target.pets.list({}, { limit: 1, after: 0 });
  for (const pet of items) {
    if (toJson(await source.pets.get(pet.id)) !== toJson(pet)) return true;
  }
  return (await target.transfer.lastIds()).pets > (await source.transfer.lastIds()).pets;
}

async function summaryOf(store: Store, bar: ProgressBar, before: number) {
  const hash = createHash("sha256");
  let count = 0;
  for await (const pets of pagesOf(store)) {
    for (const pet of pets) hash.update(`${toJson(pet)}\n`);
    count += pets.length;
    bar.show(before + count);
  }
  const keys = await store.transfer.readKeys();
  for (const key of keys) hash.update(`${toJson({ ...key, hash: Buffer.from(key.hash).toString("hex") })}\n`);
  return { count, keys: keys.length, checksum: hash.digest("hex").slice(0, 16) };
}

async function* pagesOf({ pets }: Store): AsyncIterable<readonly Pet[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: { items: readonly Pet[]; next?: number | undefined } = await pets.list({}, { limit: pageSize, after });
    if (page.items.length > 0) yield page.items;
    after = page.next;
  }
}

const pageSize = 2_000;

async function open(how: typeof openStore, address: DatabaseAddress): Promise<AsyncDisposable & { store: Store }> {
  const store = await how(address, {
    poolSize: 1,
    // Counting a hundred million animals takes a while.
    limitMilliseconds: 600_000,
    onDeath(reason) {
      console.error(`The database can no longer be written to: ${reason}`);
      process.exit(exitCodes.failure);
    },
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
