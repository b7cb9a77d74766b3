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
  /** How far it got when it was run before. */
  readonly before: Progress | undefined;
  /** What is to be done with the first batch, if nobody knows any more whether it was added. */
  readonly inDoubt: "add" | "skip" | "ask" | undefined;
  onProgress(bytes: number, animals: number): void;
}

/**
 * Adds batches one after the other, so that animals get their ids in the order of the file, and reads the next one meanwhile.
 *
 * The key of a batch is made of the name of the import and of everything in the file up to the end of the batch. So the same
 * import has the same keys each time, and what was added once is not added again, although nothing of that is remembered here.
 */
export class Importer {
  readonly #parts: ImportParts;
  #inDoubt: ImportParts["inDoubt"];
  #sending: Promise<void> = Promise.resolve();
  #rejectsOfAll: number;
  #addedByAll: number;
  readonly #begunAt: number;
  #mark: string | undefined;
  /** What this run has noted last, or went on from. What another has noted, of a file that was different then, is left as it is. */
  #noted: Progress | undefined;
  /** Animals that were added now, that had been, and lines that were rejected now. */
  added = 0;
  repeated = 0;
  rejected = 0;
  /** Whether it is not known if the last batch was added as well. */
  isInDoubt = false;

  constructor(parts: ImportParts) {
    this.#parts = parts;
    this.#inDoubt = parts.inDoubt;
    this.#addedByAll = parts.before?.added ?? 0;
    this.#rejectsOfAll = parts.before?.rejected ?? 0;
    this.#begunAt = parts.before?.begunAt ?? Date.now();
    this.#mark = parts.before?.mark;
    this.#noted = parts.before;
  }

  /** How many lines were rejected, also when it was run before. */
  get rejectsOfAll(): number {
    return this.#rejectsOfAll;
  }

  /** Returns once the batch before was added. */
  async take(batch: RawBatch): Promise<void> {
    const animals: NewPet[] = [];
    const records: RawRecord[] = [];
    const rejects: Reject[] = [];
    const { reader } = this.#parts;
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
    // It is thrown when it is waited for.
    this.#sending.catch(() => {});
  }

  /** Called after the last batch. */
  async finish(): Promise<void> {
    await this.#sending;
    const { checkpoint, destination } = this.#parts;
    if (!checkpoint || !this.#noted) return;
    this.#mark ??= await destination.mark();
    // PostgreSQL's log has an event a moment after the commit.
    for (let tries = 0; !this.#mark && this.added > 0 && tries < mostTries; tries++) {
      await setTimeout(tryEveryMs);
      this.#mark = await destination.mark();
    }
    checkpoint.save({ ...this.#noted, mark: this.#mark, isDone: true });
  }

  /** Called if it is broken off: what has come of the batch that is being added is known then, as far as it can be. */
  async settle(): Promise<void> {
    await this.#sending.catch(() => {});
  }

  async #send(batch: RawBatch, animals: NewPet[], records: RawRecord[], rejects: Reject[]): Promise<void> {
    const { destination, name, checkpoint, onProgress, rejects: file, rejectsPath } = this.#parts;
    const isSkipped = this.#decide(batch) === "skip";
    if (animals.length > 0 && !isSkipped) {
      const key = createHash("sha256").update(`${name}\n${batch.end.digest}`).digest("hex");
      const { isRepeated, refused } = await destination.add(`import-${key}`, animals).catch((error: unknown) => {
        this.isInDoubt = mayBeAdded(error);
        throw error;
      });
      for (const [index, reason] of refused) rejects.push({ record: records[index] as RawRecord, reason });
      rejects.sort((one, other) => one.record.line - other.record.line);
      const accepted = animals.length - refused.size;
      if (isRepeated) this.repeated += accepted;
      else this.added += accepted;
      this.#addedByAll += accepted;
    }
    await file.add(rejects, batch.end.bytes);
    this.rejected += rejects.length;
    this.#rejectsOfAll += rejects.length;
    // Once there is more of it, it may be right: so an import that goes on reads it again.
    const isNoted = !batch.mayGrow || rejects.length === 0;
    if (checkpoint && isNoted) {
      this.#mark = (await destination.mark()) ?? this.#mark;
      this.#noted = {
        place: batch.end,
        added: this.#addedByAll,
        rejected: this.#rejectsOfAll,
        rejectsPath,
        rejectsBytes: file.bytes,
        begunAt: this.#begunAt,
        at: Date.now(),
        mark: this.#mark,
        isDone: false,
      };
      checkpoint.save(this.#noted);
    }
    onProgress(batch.end.bytes, this.added + this.repeated);
  }

  /** Only the first batch after a stop can have been added without this being remembered. Throws Conflict if nobody has decided. */
  #decide({ records, end }: RawBatch): ImportParts["inDoubt"] {
    const inDoubt = this.#inDoubt;
    this.#inDoubt = undefined;
    if (inDoubt !== "ask") return inDoubt;
    const lines = `lines ${records[0]?.line} to ${end.line - 1}`;
    throw new ServiceError(
      "Conflict",
      `This import was stopped so long ago that the store no longer knows whether it has added ${lines}. Look whether these animals are there, then run it again with --in-doubt skip if they are, or with --in-doubt add.`,
    );
  }
}

/** Whether what failed so, or was broken off, may have been done. */
function mayBeAdded(error: unknown): boolean {
  if (error instanceof AnimalStoreError) return error.mayHaveSucceeded;
  return !(error instanceof ServiceError) || error.code === "ServiceUnavailable";
}

const tryEveryMs = 50;
const mostTries = 100;
