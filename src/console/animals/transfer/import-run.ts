import type { AnimalStore, Int64, NewPet } from "../../../../packages/client/src/index.ts";
import { mayHaveArrived, Submission } from "../../api/action.ts";
import { foldCategoryName } from "../../categories/category-text.ts";
import { createCategory, readAllCategories } from "../../categories/create-category.ts";
import { sharedUntilSignOut } from "../../parts/shared.ts";
import type { ImportSource } from "./import-source.ts";
import { idsByName, type Plan, type PlannedAnimal, type Reject } from "./plan.ts";

export interface CurrentImport {
  readonly run: ImportRun;
  readonly list: ImportSource;
  readonly columns: readonly string[];
}

/**
 * The import that is running, or whose outcome was not dismissed yet. It outlives its dialog, which the Back button or a revoked key
 * may close.
 */
export const currentImport = sharedUntilSignOut<CurrentImport | undefined>(undefined);

/**
 * Adds the planned animals in batches. After a failure it can go on: a batch keeps its idempotency key until the store has responded,
 * so that no animal is added twice.
 */
export class ImportRun {
  readonly #store: AnimalStore;
  readonly #plan: Plan;
  readonly #submission = new Submission();
  readonly #rejects: Reject[];
  /** The ids of new categories by their plain names. They stay the same, so that a repeated batch has the same content. */
  readonly #made = new Map<string, Int64>();
  #isStopped = false;
  #isInDoubt = false;
  isRunning = false;
  added = 0;
  /** Number of animals that were added or refused. */
  done = 0;

  constructor(store: AnimalStore, plan: Plan) {
    this.#store = store;
    this.#plan = plan;
    this.#rejects = [...plan.rejects];
  }

  get total(): number {
    return this.#plan.animals.length;
  }

  async goOn(onStep: () => void): Promise<void> {
    this.#isStopped = false;
    this.isRunning = true;
    onStep();
    try {
      await this.#makeCategories();
      while (this.done < this.total && !this.#isStopped) {
        await this.#addBatch(this.#plan.animals.slice(this.done, this.done + maxBatch));
        onStep();
      }
    } finally {
      this.isRunning = false;
      onStep();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Returns the lines that were not added, in the order of the file. */
  rejects(): Reject[] {
    const doubtful = this.#isInDoubt ? maxBatch : 0;
    const left = this.#plan.animals.slice(this.done).map(({ row }, index) => ({
      row,
      reason:
        index < doubtful
          ? "It may have been added: the store's response was lost."
          : "The import ended before this line.",
    }));
    return [...this.#rejects, ...left].sort((one, other) => one.row.line - other.row.line);
  }

  /** Some of them may exist by now, made by an earlier try or by another user. */
  async #makeCategories(): Promise<void> {
    const missing = this.#plan.newCategories.filter((name) => !this.#made.has(foldCategoryName(name)));
    if (missing.length === 0) return;
    const there = idsByName(await readAllCategories(this.#store));
    for (const name of missing) {
      if (this.#isStopped) return;
      const plain = foldCategoryName(name);
      this.#made.set(plain, there.get(plain)?.[0] ?? (await createCategory(this.#store, name)).category.id);
    }
  }

  async #addBatch(animals: readonly PlannedAnimal[]): Promise<void> {
    const pets = animals.map(
      ({ values, category }): NewPet => ({
        ...values,
        categoryId: typeof category === "object" ? (this.#made.get(category.plain) ?? 0) : category,
      }),
    );
    const name = this.done;
    try {
      const options = { atomic: false, ...this.#submission.optionsFor(name) } as const;
      const { created, results } = await this.#store.pets.createMany(pets, options);
      for (const { index, error } of results) {
        const row = animals[index]?.row;
        if (error && row) this.#rejects.push({ row, reason: error.message });
      }
      this.added += created;
      this.done += animals.length;
      this.#isInDoubt = false;
      this.#submission.settle(name, undefined);
    } catch (error) {
      this.#submission.settle(name, error);
      this.#isInDoubt = mayHaveArrived(error);
      throw error;
    }
  }
}

const maxBatch = 1_000;
