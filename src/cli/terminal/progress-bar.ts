/** A line on a terminal that grows with the work; elsewhere nothing. */
export class ProgressBar {
  readonly #isShown = Boolean(process.stderr.isTTY);
  #shownAt = 0;

  constructor(
    readonly label: string,
    readonly total: number,
  ) {}

  show(done: number): void {
    const now = performance.now();
    if (!this.#isShown || (now - this.#shownAt < redrawMilliseconds && done < this.total)) return;
    this.#shownAt = now;
    process.stderr.write(`\r${barOf(this.label, done, this.total)}${done >= this.total ? "\n" : ""}`);
  }
}

export function barOf(label: string, done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * width);
  const numbers = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${label} [${"#".repeat(filled)}${" ".repeat(width - filled)}] ${Math.floor(share * 100)} %, ${numbers}`;
}

const width = 30;
const redrawMilliseconds = 100;
