/** A line on a terminal that grows with the work; elsewhere nothing. */
export class ProgressBar {
  readonly #isShown = Boolean(process.stderr.isTTY);
  #shownAt = Number.NEGATIVE_INFINITY;
  #isOpen = false;

  constructor(
    readonly label: string,
    /** 0 if it is not known. */
    readonly total: number,
  ) {}

  /** `detail` gives what is said in the place of the numbers. */
  show(done: number, detail?: () => string): void {
    const now = performance.now();
    if (!this.#isShown || (now - this.#shownAt < redrawMilliseconds && (done < this.total || this.total === 0))) return;
    this.#shownAt = now;
    const text =
      this.total === 0 && detail ? `${this.label} ${detail()}` : barOf(this.label, done, this.total, detail?.());
    // What goes on to the next line could not be drawn over. The last column is left to the cursor.
    const room = (process.stderr.columns || Number.POSITIVE_INFINITY) - 1;
    process.stderr.write(`\r${text.slice(0, room)}${eraseRest}`);
    this.#isOpen = true;
    if (done >= this.total && this.total > 0) this.end();
  }

  /** What follows is on a line of its own. */
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
const redrawMilliseconds = 100;
/** What was there before may have been longer. */
const eraseRest = "\u001b[K";
