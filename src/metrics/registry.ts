import type { Awaitable } from "../base/awaitable.ts";
import { withDeadline } from "../base/deadline.ts";

/**
 * What is measured, and the text in which Prometheus reads it (text format 0.0.4). Code that does something worth measuring
 * registers it here, under a name of its own, and then counts at the cost of an addition.
 */
export class Registry {
  readonly #families = new Map<string, Family>();
  readonly #preparations: (() => Awaitable<void>)[] = [];

  /** What only grows. There is a count for each set of values that the labels take, so that these must be few. */
  counter(name: string, help: string, labels: readonly string[] = []): Labelled<Count> {
    const counts = new Labelled(labels, () => new Count());
    this.#register(name, { type: "counter", help, samples: () => counts.samples() });
    return counts;
  }

  /** How often something was at most as much as each of the bounds, which ascend. */
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labels: readonly string[] = [],
  ): Labelled<Distribution> {
    const distributions = new Labelled(labels, () => new Distribution(bounds));
    this.#register(name, { type: "histogram", help, samples: () => distributions.samples() });
    return distributions;
  }

  /** What somebody else keeps count of, and is asked for when the text is made. */
  watch(type: "counter" | "gauge", name: string, help: string, read: () => Reading): void {
    this.#register(name, { type, help, samples: () => samplesOf(read()) });
  }

  /** What has to be asked for first. It must not throw; if it takes long, the text is made with what was known before. */
  prepare(preparation: () => Awaitable<void>): void {
    this.#preparations.push(preparation);
  }

  async text(): Promise<string> {
    await Promise.all(this.#preparations.map(prepareSoon));
    let text = "";
    for (const [name, { type, help, samples }] of this.#families) {
      text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
      for (const { suffix = "", labels, value } of samples()) {
        text += `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`;
      }
    }
    return text;
  }

  #register(name: string, family: Family): void {
    if (!/^[a-z_]+$/.test(name)) throw new Error(`${name} is no name for a metric.`);
    // Prometheus's own clients have these under the same names, for dashboards that work with any program.
    const fullName = name.startsWith("process_") ? name : prefix + name;
    if (this.#families.has(fullName)) throw new Error(`The metric ${name} was registered twice.`);
    this.#families.set(fullName, family);
  }
}

const prefix = "animal_store_";

/** A store that does not answer must not hold up the very figures that say so. */
async function prepareSoon(prepare: () => Awaitable<void>): Promise<void> {
  await withDeadline(preparationMs, Promise.resolve(prepare()), () => new Error("late")).catch(() => {});
}

const preparationMs = 500;

/** A number; numbers by their labels; or nothing while it is not known. */
export type Reading = number | undefined | Iterable<readonly [labels: Labels, value: number]>;

type Labels = Readonly<Record<string, string>>;

/** One instance for each set of label values. Code that counts often keeps its instance. */
export class Labelled<Cell extends Count | Distribution> {
  readonly #names: readonly string[];
  readonly #make: () => Cell;
  readonly #cells = new Map<string, { readonly labels: Labels; readonly cell: Cell }>();

  constructor(names: readonly string[], make: () => Cell) {
    this.#names = names;
    this.#make = make;
  }

  /** The values are in the order of the names. */
  with(...values: readonly string[]): Cell {
    const key = values.join("\n");
    let entry = this.#cells.get(key);
    if (!entry) {
      entry = {
        labels: Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ""])),
        cell: this.#make(),
      };
      this.#cells.set(key, entry);
    }
    return entry.cell;
  }

  *samples(): Iterable<Sample> {
    for (const { labels, cell } of this.#cells.values()) yield* cell.samples(labels);
  }
}

export class Count {
  #value = 0;

  add(amount = 1): void {
    this.#value += amount;
  }

  *samples(labels: Labels): Iterable<Sample> {
    yield { labels, value: this.#value };
  }
}

export class Distribution {
  readonly #bounds: readonly number[];
  /** Of each bucket alone, and last of what is beyond all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    (this.#counts[index] as number)++;
    this.#sum += value;
  }

  *samples(labels: Labels): Iterable<Sample> {
    let count = 0;
    for (const [index, ofBucket] of this.#counts.entries()) {
      count += ofBucket;
      const bound = numberText(this.#bounds[index] ?? Number.POSITIVE_INFINITY);
      yield { suffix: "_bucket", labels: { ...labels, le: bound }, value: count };
    }
    yield { suffix: "_sum", labels, value: this.#sum };
    yield { suffix: "_count", labels, value: count };
  }
}

/** Bounds for what takes seconds or parts of them, from a tenth of a millisecond on. */
export const durationBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  samples(): Iterable<Sample>;
}

interface Sample {
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

function samplesOf(reading: Reading): Sample[] {
  if (reading === undefined) return [];
  if (typeof reading === "number") return [{ labels: {}, value: reading }];
  return Array.from(reading, ([labels, value]) => ({ labels, value }));
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

/** As Go's ParseFloat, which is what the format asks for, takes it. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
