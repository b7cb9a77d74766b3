import { plural } from "./plural.ts";

/** A line that shows progress on a terminal, and nothing elsewhere. */
export class ProgressBar {
  readonly #isShown = Boolean(process.stderr.isTTY);
  readonly #startedAt = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;
  #isOpen = false;

  /** `total` is 0 if unknown; `start` is the part that an earlier run has done. */
  constructor(
    private readonly label: string,
    private readonly total = 0,
    private readonly start = 0,
  ) {}

  show(done: number, animals?: number): void {
    const now = performance.now();
    const isComplete = this.total > 0 && done >= this.total;
    if (!this.#isShown || (now - this.#shownAt < redrawMs && !isComplete)) return;
    this.#shownAt = now;
    const share = this.total > this.start ? (done - this.start) / (this.total - this.start) : 0;
    const detail = animals === undefined ? undefined : formatSpeed(animals, now - this.#startedAt, share);
    const text = this.total === 0 && detail ? `${this.label} ${detail}` : drawBar(this.label, done, this.total, detail);
    // Truncates the text, because a line that wraps could not be overwritten. The last column is for the cursor.
    const width = (process.stderr.columns || Number.POSITIVE_INFINITY) - 1;
    process.stderr.write(`\r${text.slice(0, width)}${eraseRest}`);
    this.#isOpen = true;
    if (isComplete) this.end();
  }

  end(): void {
    if (this.#isOpen) process.stderr.write("\n");
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

const redrawMs = 100;
const eraseRest = "\u001b[K";
const barWidth = 30;

export function drawBar(label: string, done: number, total: number, detail?: string): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "#".repeat(Math.floor(share * barWidth)).padEnd(barWidth);
  const numbers = detail ?? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${label} [${bar}] ${Math.floor(share * 100)} %, ${numbers}`;
}

function formatSpeed(animals: number, elapsedMs: number, share: number): string {
  const rate = Math.round(animals / Math.max(elapsedMs / 1000, 0.001));
  const numbers = `${animals.toLocaleString("en")} ${plural(animals, "animal")}, ${rate.toLocaleString("en")} a second`;
  if (share === 0) return numbers;
  const leftSeconds = Math.ceil((elapsedMs * (1 / share - 1)) / 1000);
  return `${numbers}, ${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, "0")} left`;
}
