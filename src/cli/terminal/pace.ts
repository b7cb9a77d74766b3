import { plural } from "./plural.ts";
import { ProgressBar } from "./progress-bar.ts";

/** Shows how far long work has got, how fast it is, and how long it will still take, as far as that can be told. */
export class Pace {
  readonly #bar: ProgressBar;
  readonly #total: number | undefined;
  readonly #begunAt = performance.now();
  readonly #from: number;
  #done: number;
  #animals = 0;

  /** Of so many bytes or animals in all, if that is known. `from` is what was done before. */
  constructor(label: string, total: number | undefined, from = 0) {
    this.#bar = new ProgressBar(label, total ?? 0);
    this.#total = total;
    this.#from = from;
    this.#done = from;
  }

  show(done: number, animals: number): void {
    this.#done = done;
    this.#animals = animals;
    this.#bar.show(done, () => paceOf(this.#animals, performance.now() - this.#begunAt, this.#share));
  }

  /** Called at the end, however it has come. */
  end(): void {
    this.#bar.end();
  }

  /** How much of what was to be done is, if that is known. */
  get #share(): number | undefined {
    const all = (this.#total ?? 0) - this.#from;
    return all > 0 ? (this.#done - this.#from) / all : undefined;
  }
}

/** Such as "12,000 animals, 40,000 a second, 0:25 left". */
export function paceOf(animals: number, elapsedMs: number, share: number | undefined): string {
  const rate = Math.round(animals / Math.max(elapsedMs / 1000, 0.001));
  const leftSeconds = share ? Math.ceil((elapsedMs * (1 / share - 1)) / 1000) : undefined;
  const numbers = `${animals.toLocaleString("en")} ${plural(animals, "animal")}, ${rate.toLocaleString("en")} a second`;
  if (leftSeconds === undefined) return numbers;
  const [minutes, seconds] = [Math.floor(leftSeconds / 60), leftSeconds % 60];
  return `${numbers}, ${minutes}:${String(seconds).padStart(2, "0")} left`;
}
