import type { Awaitable } from "../base/awaitable.ts";
import { withDeadline } from "../base/deadline.ts";

/** The metrics of the program, and their text for Prometheus (text format 0.0.4). */
export class Registry {
  readonly #families = new Map<string, Family>();
  readonly #scrapeListeners: (() => Awaitable<void>)[] = [];

  /** Registers a counter. There is a count for each set of label values, so labels must have few values. */
  counter(name: string, help: string, labelNames: readonly string[] = []): Labelled<Counter> {
    const counters = new Labelled(labelNames, () => new Counter());
    this.#register(name, { type: "counter", help, samples: () => counters.samples() });
    return counters;
  }

  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames: readonly string[] = [],
  ): Labelled<Histogram> {
    const histograms = new Labelled(labelNames, () => new Histogram(bounds));
    this.#register(name, { type: "histogram", help, samples: () => histograms.samples() });
    return histograms;
  }

  /** Registers a metric whose value is read from its owner at scrape time. */
  watch(type: "counter" | "gauge", name: string, help: string, read: () => Reading): void {
    const samples = (): Iterable<Sample> => {
      const reading = read() ?? [];
      return typeof reading === "number" ? [[{}, reading]] : reading;
    };
    this.#register(name, { type, help, samples });
  }

  /** Calls a function before each scrape. If the function is slow or fails, the scrape reports older values. */
  onScrape(listener: () => Awaitable<void>): void {
    this.#scrapeListeners.push(listener);
  }

  async render(): Promise<string> {
    // A store that does not respond must not delay the metrics that report the outage.
    const listeners = this.#scrapeListeners.map((listener) => Promise.try(listener));
    await withDeadline(maxListenerMs, Promise.allSettled(listeners), () => new Error("late")).catch(() => {});
    let text = "";
    for (const [name, { type, help, samples }] of this.#families) {
      text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
      for (const [labels, value, suffix = ""] of samples()) {
        text += `${name}${suffix}${formatLabels(labels)} ${formatNumber(value)}\n`;
      }
    }
    return text;
  }

  #register(name: string, family: Family): void {
    if (!/^[a-z_]+$/.test(name)) throw new Error(`${name} is not a valid name of a metric.`);
    // Metrics of the process keep the names that Prometheus's own clients use, so that common dashboards work.
    const fullName = name.startsWith("process_") ? name : `animal_store_${name}`;
    if (this.#families.has(fullName)) throw new Error(`The metric ${name} was registered twice.`);
    this.#families.set(fullName, family);
  }
}

const maxListenerMs = 500;

/** Undefined while the value is unknown. */
export type Reading = number | undefined | Iterable<Sample>;

type Sample = readonly [labels: Labels, value: number, suffix?: string];
type Labels = Readonly<Record<string, string>>;

/** A metric with one instance for each set of label values. Hot code should keep the instance, which avoids a look-up per count. */
export class Labelled<Metric extends Counter | Histogram> {
  readonly #metrics = new Map<string, { readonly labels: Labels; readonly metric: Metric }>();

  constructor(
    private readonly labelNames: readonly string[],
    private readonly create: () => Metric,
  ) {}

  with(...values: readonly string[]): Metric {
    const create = () => {
      const labels = Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? ""]));
      return { labels, metric: this.create() };
    };
    return this.#metrics.getOrInsertComputed(values.join("\n"), create).metric;
  }

  *samples(): Iterable<Sample> {
    for (const { labels, metric } of this.#metrics.values()) yield* metric.samples(labels);
  }
}

export class Counter {
  #value = 0;

  add(amount = 1): void {
    this.#value += amount;
  }

  *samples(labels: Labels): Iterable<Sample> {
    yield [labels, this.#value];
  }
}

export class Histogram {
  /** Counts per bucket, not cumulative; the last bucket counts the values beyond all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    (this.#counts[index] as number)++;
    this.#sum += value;
  }

  *samples(labels: Labels): Iterable<Sample> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const bound = formatNumber(this.bounds[index] ?? Number.POSITIVE_INFINITY);
      yield [{ ...labels, le: bound }, total, "_bucket"];
    }
    yield [labels, this.#sum, "_sum"];
    yield [labels, total, "_count"];
  }
}

/** Bounds for durations in seconds, from a tenth of a millisecond. */
export const durationBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  samples(): Iterable<Sample>;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** Formats a number for Go's ParseFloat, as Prometheus requires. */
function formatNumber(value: number): string {
  return String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || "+"}Inf`);
}
