import type { AnimalStore, Int64, NewPet } from "../../../client/index.ts";
import { mayHaveArrived, Submission } from "../../api/submission.ts";
import { plainName } from "../../categories/category-text.ts";
import { makeCategory } from "../../categories/make-category.ts";
import { allCategories } from "./all-categories.ts";
import { categoryNames, type Plan, type PlannedAnimal, type Reject } from "./plan.ts";

/**
 * Adds what is planned, batch after batch. After a failure it can go on: a batch has the same name until the store has said
 * what came of it, so that nothing is added twice.
 */
export class ImportRun {
  readonly #store: AnimalStore;
  readonly #plan: Plan;
  readonly #submission = new Submission();
  readonly #rejects: Reject[];
  /** The numbers of new categories by their plain names. They stay the same, so that a batch that is sent again does too. */
  readonly #made = new Map<string, Int64>();
  /** The first that no answer has come for. */
  #next = 0;
  #isStopped = false;
  #isInDoubt = false;
  added = 0;

  constructor(store: AnimalStore, plan: Plan) {
    this.#store = store;
    this.#plan = plan;
    this.#rejects = [...plan.rejects];
  }

  get total(): number {
    return this.#plan.animals.length;
  }

  /** How many are added or refused. */
  get done(): number {
    return this.#next;
  }

  /** Fails with whatever the store or the network fails with. */
  async goOn(onStep: () => void): Promise<void> {
    this.#isStopped = false;
    await this.#makeCategories();
    while (this.#next < this.total && !this.#isStopped) {
      await this.#addBatch(this.#plan.animals.slice(this.#next, this.#next + largestBatch));
      onStep();
    }
  }

  /** Ends it after the batch that is being added. */
  stop(): void {
    this.#isStopped = true;
  }

  /** What is not added, in the order of the file. */
  rejects(): Reject[] {
    const doubtful = this.#isInDoubt ? this.#next + largestBatch : this.#next;
    const left = this.#plan.animals.slice(this.#next).map(({ row }, index) => ({
      row,
      reason:
        this.#next + index < doubtful
          ? "It may have been added: the store's response was lost."
          : "The import ended before this line.",
    }));
    return [...this.#rejects, ...left].sort((one, other) => one.row.line - other.row.line);
  }

  /** Some of them may be there meanwhile, made by an earlier try or by somebody else. */
  async #makeCategories(): Promise<void> {
    const missing = this.#plan.newCategories.filter((name) => !this.#made.has(plainName(name)));
    if (missing.length === 0) return;
    const there = categoryNames(await allCategories(this.#store));
    for (const name of missing) {
      if (this.#isStopped) return;
      const plain = plainName(name);
      this.#made.set(plain, there.get(plain)?.[0] ?? (await makeCategory(this.#store, name)).category.id);
    }
  }

  async #addBatch(animals: readonly PlannedAnimal[]): Promise<void> {
    const pets = animals.map(
      ({ values, category }): NewPet => ({
        ...values,
        categoryId: typeof category === "object" ? (this.#made.get(category.plain) ?? 0) : category,
      }),
    );
    const name = this.#next;
    try {
      const { created, results } = await this.#store.pets.createMany(pets, {
        atomic: false,
        ...this.#submission.of(name),
      });
      for (const { index, error } of results) {
        const row = animals[index]?.row;
        if (error && row) this.#rejects.push({ row, reason: error.message });
      }
      this.added += created;
      this.#next += animals.length;
      this.#isInDoubt = false;
      this.#submission.settle(name, undefined);
    } catch (error) {
      this.#submission.settle(name, error);
      this.#isInDoubt = mayHaveArrived(error);
      throw error;
    }
  }
}

/** As many as the interface takes at once. */
const largestBatch = 1_000;
