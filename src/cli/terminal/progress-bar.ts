import { plural } from "./plural.ts";

/** A line that shows progress on a terminal; elsewhere nothing. */
export class ProgressBar {
  readonly #isShown = Boolean(process.stderr.isTTY);
  #shownAt = Number.NEGATIVE_INFINITY;
  #isOpen = false;

  constructor(
    readonly label: string,
    /** 0 if unknown. */
    readonly total: number,
  ) {}

  /** `detail` replaces the numbers. */
  show(done: number, detail?: () => string): void {
    const now = performance.now();
    if (!this.#isShown || (now - this.#shownAt < redrawMs && (done < this.total || this.total === 0))) return;
    this.#shownAt = now;
    const text =
      this.total === 0 && detail ? `${this.label} ${detail()}` : barOf(this.label, done, this.total, detail?.());
    // A line that wraps could not be overwritten. The cursor needs the last column.
    const room = (process.stderr.columns || Number.POSITIVE_INFINITY) - 1;
    process.stderr.write(`\r${text.slice(0, room)}${eraseRest}`);
    this.#isOpen = true;
    if (done >= this.total && this.total > 0) this.end();
  }

  /** Ends the line. */
  end(): void {
    if (this.#isOpen) process.stderr.write("\n");
    this.#isOpen = false;
  }
}

export function barOf(label: string, done: number, total: number, detail?: string): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * width);
  const numbers = detail ?? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${label} [${"#".repeat(filled)}${" ".repeat(width - filled)}] ${Math.floor(share * 100)} %, ${numbers}`;
}

const width = 30;
const redrawMs = 100;
const eraseRest = "\u001b[K";

/** Shows the progress, the speed and the remaining time of work on animals. */
export class PetProgress {
  readonly #bar: ProgressBar;
  readonly #total: number;
  readonly #from: number;
  readonly #startedAt = performance.now();

  /** `total` is in bytes or animals, if it is known; `from` was done in an earlier run. */
  constructor(label: string, total = 0, from = 0) {
    this.#bar = new ProgressBar(label, total);
    this.#total = total;
    this.#from = from;
  }

  show(done: number, animals: number): void {
    this.#bar.show(done, () => {
      const all = this.#total - this.#from;
      const share = all > 0 ? (done - this.#from) / all : undefined;
      return speedText(animals, performance.now() - this.#startedAt, share);
    });
  }

  end(): void {
    this.#bar.end();
  }
}

/** Returns a text such as "12,000 animals, 40,000 a second, 0:25 left". */
function speedText(animals: number, elapsedMs: number, share: number | undefined): string {
  const rate = Math.round(animals / Math.max(elapsedMs / 1000, 0.001));
  const numbers = `${animals.toLocaleString("en")} ${plural(animals, "animal")}, ${rate.toLocaleString("en")} a second`;
  if (!share) return numbers;
  const leftSeconds = Math.ceil((elapsedMs * (1 / share - 1)) / 1000);
  return `${numbers}, ${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, "0")} left`;
}
