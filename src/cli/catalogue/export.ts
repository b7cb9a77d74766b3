import { resolve } from "node:path";
import { formatCsvRecord } from "../../base/csv.ts";
import type { DatabaseAddress } from "../../base/database-address.ts";
import { toJson } from "../../base/json.ts";
import { fileOperand } from "../../config.ts";
import { namesOf } from "../../domain/fields.ts";
import { type Pet, petFields, petStatuses } from "../../domain/pet.ts";
import { openExistingStore } from "../../store/open-store.ts";
import { command, exitCodes } from "../command.ts";
import { type Connection, connect, connectionSettings } from "../remote/connection.ts";
import { categorySetting, statusSetting } from "../remote/settings.ts";
import { databaseFlag } from "../store/database-settings.ts";
import { openForCommand } from "../store/open-for-command.ts";
import { createInterruptSignal } from "../terminal/interruption.ts";
import { plural } from "../terminal/plural.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { type Format, formatSetting, guessFormat } from "./format.ts";
import { createOutputSink, openFileSink } from "./sink.ts";

export const exportCommand = command({
  name: "export",
  summary: "Write a snapshot of all animals to a file or standard output.",
  details: "The file appears only when it is complete. An export that was stopped starts from the beginning.",
  settings: {
    ...connectionSettings,
    database: databaseFlag("--database", "The database to read them from, instead of a running service."),
    format: formatSetting,
    status: statusSetting(petStatuses, "Only animals with this status"),
    category: categorySetting("Only animals of the category with this id."),
  },
  operands: {
    file: {
      ...fileOperand(
        "FILE",
        "The file to write, or - for standard output, which is the default.",
        "one file, or - for standard output",
      ),
      isRequired: false,
    },
  },
  async run({ output, operands: { file = "-" }, ...given }) {
    const { database, status, category, format = guessFormat(file) ?? "ndjson" } = given.settings;
    const isWanted = (pet: Pet) =>
      (status === undefined || pet.status === status) && (category === undefined || pet.categoryId === category);
    const signal = createInterruptSignal();
    await using source = database ? await openStoreSource(database) : openServiceSource(given, signal);
    const isFile = file !== "-";
    await using sink = isFile ? await openFileSink(file, signal) : createOutputSink(output, signal);
    using progress = new ProgressBar("Exporting", await source.count());
    let [readCount, writtenCount] = [0, 0];
    if (format === "csv") await sink.write(formatCsvRecord(columns));
    await source.read(async (pets) => {
      signal.throwIfAborted();
      const wanted = pets.filter(isWanted);
      readCount += pets.length;
      writtenCount += wanted.length;
      if (wanted.length > 0) await sink.write(wanted.map(lineFormatters[format]).join(""));
      progress.show(readCount, readCount);
    });
    await sink.finish();
    progress.end();
    if (!isFile) return exitCodes.success;
    const text = `Wrote ${writtenCount} ${plural(writtenCount, "animal")} to ${resolve(file)}.`;
    return await output.report(text, { animals: writtenCount, file: resolve(file) });
  },
});

const columns = namesOf(petFields);

const lineFormatters: Readonly<Record<Format, (pet: Pet) => string>> = {
  ndjson: (pet) => `${toJson(pet)}\n`,
  csv: (pet) => formatCsvRecord(columns.map((column) => pet[column])),
};

interface Source extends AsyncDisposable {
  count(): Promise<number>;
  read(onPets: (pets: readonly Pet[]) => Promise<void>): Promise<void>;
}

function openServiceSource(connection: Connection, signal: AbortSignal): Source {
  const { store } = connect(connection);
  return {
    count: async () => sum(await store.inventory.get({ signal })),
    async read(onPets) {
      let batch: Pet[] = [];
      for await (const pet of await store.pets.export({ signal })) {
        if (batch.push(pet as Pet) < batchSize) continue;
        await onPets(batch);
        batch = [];
      }
      await onPets(batch);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const batchSize = 1_000;

async function openStoreSource(database: DatabaseAddress): Promise<Source> {
  const opened = await openForCommand(openExistingStore, database, { limitMilliseconds: 600_000 });
  const { store } = opened;
  return {
    count: async () => sum(await store.inventory()),
    read: (onPets) => store.export({ onBegin() {}, onPets }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function sum(inventory: object): number {
  return Object.values(inventory).reduce((all: number, one: number) => all + one, 0);
}
