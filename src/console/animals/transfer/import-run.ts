import type { AnimalStore, Int64 } from "../../../../packages/client/src/index.ts";
import { IdempotencyKeys, mayHaveArrived } from "../../api/action.ts";
import { foldCategoryName } from "../../categories/category-text.ts";
import { createCategory } from "../../categories/create-category.ts";
import { createSharedUntilSignOut } from "../../parts/shared.ts";
import type { ImportSource } from "./import-source.ts";
import type { Plan, PlannedAnimal, Reject } from "./plan.ts";

export interface CurrentImport {
  readonly run: ImportRun;
  readonly source: ImportSource;
  readonly columns: readonly string[];
}

/** The import that is running or not yet dismissed. Kept outside the dialog, because Back or a revoked key may close the dialog. */
export const currentImport = createSharedUntilSignOut<CurrentImport | undefined>(undefined);

/** Adds animals in batches. After a failure, the import can be resumed: a batch with an unknown outcome keeps its idempotency key. */
export class ImportRun {
  readonly #idempotencyKeys = new IdempotencyKeys();
  readonly #rejects: Reject[];
  /** Ids of new categories by folded name. Kept for a resumed import, because a retried batch must have the same content. */
  readonly #newCategoryIds = new Map<string, Int64>();
  #isStopped = false;
  /** True if the store may have executed the last batch although the request failed. */
  #isLastBatchInDoubt = false;
  isRunning = false;
  readonly total: number;
  added = 0;
  /** Number of animals that were added or rejected. */
  done = 0;

  constructor(
    private readonly store: AnimalStore,
    private readonly plan: Plan,
  ) {
    this.#rejects = [...plan.rejects];
    this.total = plan.animals.length;
  }

  async run(onProgress: () => void): Promise<void> {
    this.#isStopped = false;
    this.isRunning = true;
    onProgress();
    try {
      await this.#createCategories();
      while (this.done < this.total && !this.#isStopped) {
        await this.#addBatch(this.plan.animals.slice(this.done, this.done + maxBatchSize));
        onProgress();
      }
    } finally {
      this.isRunning = false;
      onProgress();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  rejects(): Reject[] {
    const doubtfulCount = this.#isLastBatchInDoubt ? maxBatchSize : 0;
    const remaining = this.plan.animals.slice(this.done).map(({ row }, index) => ({
      row,
      reason:
        index < doubtfulCount
          ? "It may have been added: the store's response was lost."
          : "The import ended before this line.",
    }));
    return [...this.#rejects, ...remaining].sort((one, other) => one.row.line - other.row.line);
  }

  /** Creates the new categories, except those that an earlier attempt or another user has already created. */
  async #createCategories(): Promise<void> {
    for (const name of this.plan.newCategories) {
      if (this.#isStopped) return;
      const foldedName = foldCategoryName(name);
      if (this.#newCategoryIds.has(foldedName)) continue;
      const { category } = await createCategory(this.store, name);
      this.#newCategoryIds.set(foldedName, category.id);
    }
  }

  async #addBatch(animals: readonly PlannedAnimal[]): Promise<void> {
    const pets = animals.map(({ values, category }) => ({
      ...values,
      categoryId: typeof category === "object" ? (this.#newCategoryIds.get(category.folded) ?? 0) : category,
    }));
    const start = this.done;
    try {
      const { created, results } = await this.store.pets.createMany(pets, {
        atomic: false,
        ...this.#idempotencyKeys.createOptions(start),
      });
      for (const { index, error } of results) {
        const row = animals[index]?.row;
        if (error && row) this.#rejects.push({ row, reason: error.message });
      }
      this.added += created;
      this.done += animals.length;
      this.#isLastBatchInDoubt = false;
      this.#idempotencyKeys.recordOutcome(start, undefined);
    } catch (error) {
      this.#idempotencyKeys.recordOutcome(start, error);
      this.#isLastBatchInDoubt = mayHaveArrived(error);
      throw error;
    }
  }
}

const maxBatchSize = 1_000;
