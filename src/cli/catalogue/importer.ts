import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { AnimalStoreError } from "../../../packages/client/src/errors.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { NewPet } from "../../domain/pet.ts";
import type { AnimalReader } from "./animal-reader.ts";
import type { RawBatch, RawRecord } from "./batches.ts";
import type { Checkpoint, Progress } from "./checkpoint.ts";
import type { Destination } from "./destination.ts";
import type { Reject, Rejects } from "./rejects.ts";

export interface ImportParts {
  readonly name: string;
  readonly reader: AnimalReader;
  readonly destination: Destination;
  readonly rejects: Rejects;
  readonly rejectsPath: string;
  readonly checkpoint: Checkpoint | undefined;
  readonly before: Progress | undefined;
  /** The user's decision about the first batch, if an interrupted run may or may not have added its animals. */
  readonly inDoubtAction: "add" | "skip" | undefined;
  onProgress(bytes: number, animals: number): void;
}

/**
 * Adds batches one after the other, so that animals get their ids in the order of the file, and reads the next batch meanwhile.
 * The idempotency key of a batch is a hash of the name of the import and of the file up to the end of the batch. A repeated import
 * therefore sends the same keys, and adds nothing twice even without a checkpoint.
 */
export class Importer {
  #inDoubtAction: ImportParts["inDoubtAction"];
  #sending: Promise<void> = Promise.resolve();
  readonly #startedAt = Date.now();
  /** The progress that this run has saved or resumed. While undefined, the checkpoint of an earlier version of the file is kept. */
  #saved: Progress | undefined;
  /** Counts of this run: animals that it added, animals that the store already had, and lines that it rejected. */
  added = 0;
  repeated = 0;
  rejected = 0;
  isInDoubt = false;

  constructor(private readonly parts: ImportParts) {
    const { before, inDoubtAction } = parts;
    const couldAddTwice = before && !before.isDone && Date.now() - before.at > duplicateDetectionMs;
    this.#inDoubtAction = couldAddTwice ? inDoubtAction : "add";
    this.#saved = before;
  }

  get rejectedInTotal(): number {
    return this.rejected + (this.parts.before?.rejected ?? 0);
  }

  /** Imports all batches. After a failure or an abort, waits until the outcome of the batch in flight is known, if possible. */
  async run(batches: AsyncIterable<RawBatch>): Promise<void> {
    try {
      for await (const batch of batches) await this.#process(batch);
      await this.#sending;
    } catch (error) {
      await this.#sending.catch(() => {});
      throw error;
    }
    await this.#finish();
  }

  async #process(batch: RawBatch): Promise<void> {
    const animals: NewPet[] = [];
    const records: RawRecord[] = [];
    const rejects: Reject[] = [];
    const { reader } = this.parts;
    reader.begin(batch.end.header);
    for (const record of batch.records) {
      const animal = reader.read(record);
      if (typeof animal === "string") rejects.push({ record, reason: animal });
      else {
        animals.push(animal);
        records.push(record);
      }
    }
    await this.#sending;
    this.#sending = this.#send(batch, animals, records, rejects);
    // The next call handles a failure. Without this handler, a failure before the next call would end the program.
    this.#sending.catch(() => {});
  }

  async #send(batch: RawBatch, animals: NewPet[], records: RawRecord[], rejects: Reject[]): Promise<void> {
    const { rejects: file, onProgress } = this.parts;
    const isSkipped = this.#takeInDoubtAction(batch) === "skip";
    if (animals.length > 0 && !isSkipped) {
      const refused = await this.#add(batch, animals);
      for (const [index, reason] of refused) rejects.push({ record: records[index] as RawRecord, reason });
      rejects.sort((one, other) => one.record.line - other.record.line);
    }
    await file.add(rejects, batch.end.bytes);
    this.rejected += rejects.length;
    // A rejected last line without a line break is read again by the next run, because it may be complete by then.
    if (!batch.mayGrow || rejects.length === 0) await this.#save(batch);
    onProgress(batch.end.bytes, this.added + this.repeated);
  }

  #takeInDoubtAction({ records, end }: RawBatch): ImportParts["inDoubtAction"] {
    const inDoubtAction = this.#inDoubtAction;
    this.#inDoubtAction = "add";
    if (inDoubtAction !== undefined) return inDoubtAction;
    const lines = `lines ${records[0]?.line} to ${end.line - 1}`;
    throw new ServiceError(
      "Conflict",
      `This import was stopped so long ago that the store no longer knows whether it has added ${lines}. Check whether these animals are there, then run it again with --in-doubt skip if they are, or with --in-doubt add.`,
    );
  }

  async #add({ end }: RawBatch, animals: NewPet[]): Promise<ReadonlyMap<number, string>> {
    const { destination, name } = this.parts;
    const key = createHash("sha256").update(`${name}\n${end.digest}`).digest("hex");
    const { isRepeated, refused } = await destination.add(`import-${key}`, animals).catch((error: unknown) => {
      this.isInDoubt = mayHaveSucceeded(error);
      throw error;
    });
    this[isRepeated ? "repeated" : "added"] += animals.length - refused.size;
    return refused;
  }

  async #save({ end }: RawBatch): Promise<void> {
    const { checkpoint, destination, before, rejects, rejectsPath } = this.parts;
    if (!checkpoint) return;
    const { begunAt = this.#startedAt, mark } = this.#saved ?? {};
    this.#saved = {
      place: end,
      added: (before?.added ?? 0) + this.added + this.repeated,
      rejected: this.rejectedInTotal,
      rejectsPath,
      rejectsBytes: rejects.bytes,
      begunAt,
      at: Date.now(),
      mark: (await destination.readMark()) ?? mark,
      isDone: false,
    };
    checkpoint.save(this.#saved);
  }

  async #finish(): Promise<void> {
    const { checkpoint, destination } = this.parts;
    if (!checkpoint || !this.#saved) return;
    let mark = this.#saved.mark ?? (await destination.readMark());
    // On PostgreSQL, an event reaches the event log a moment after its commit, so the event log may still be empty.
    for (let tryCount = 0; !mark && this.added > 0 && tryCount < maxTries; tryCount++) {
      await setTimeout(pollEveryMs);
      mark = await destination.readMark();
    }
    checkpoint.save({ ...this.#saved, mark, isDone: true });
  }
}

/** Shorter than the 24 hours for which stores keep idempotency records, because the clock of the store may differ. */
export const duplicateDetectionMs = 23 * 60 * 60 * 1000;

function mayHaveSucceeded(error: unknown): boolean {
  if (error instanceof AnimalStoreError) return error.mayHaveSucceeded;
  return !(error instanceof ServiceError) || error.code === "ServiceUnavailable";
}

const pollEveryMs = 50;
const maxTries = 100;
