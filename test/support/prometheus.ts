export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export class Scrape {
  constructor(readonly families: ReadonlyMap<string, MetricFamily>) {}

  get samples(): Sample[] {
    return [...this.families.values()].flatMap(({ samples }) => samples);
  }

  /** Returns the sum of the samples that have at least these labels. Throws if no sample matches. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const matches = this.find(name, labels);
    if (matches.length === 0) throw new Error(`There is no ${name} ${JSON.stringify(labels)}.`);
    return matches.reduce((sum, { value }) => sum + value, 0);
  }

  find(name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
    const requiredLabels = Object.entries(labels);
    return this.samples.filter(
      (sample) => sample.name === name && requiredLabels.every(([label, value]) => sample.labels[label] === value),
    );
  }
}

/** Parses the text format 0.0.4, and throws if the text violates the format or the naming conventions of Prometheus. */
export function parseScrape(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("The text does not end with a line feed.");
  const families = new Map<string, MetricFamily & { samples: Sample[] }>();
  let family: (MetricFamily & { samples: Sample[] }) | undefined;
  let pendingHelp: { name: string; help: string } | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.*)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      pendingHelp = { name: help[1] ?? "", help: replaceEscapes(help[2] ?? "", /\\[\\n]/) };
    } else if (type) {
      const [, name = "", kind = ""] = type;
      if (pendingHelp?.name !== name) throw new Error(`The type of ${name} does not follow its help.`);
      if (families.has(name)) throw new Error(`${name} occurs twice.`);
      if (name.endsWith("_total") !== (kind === "counter"))
        throw new Error(`${name} is not a valid name for a ${kind}.`);
      family = { name, help: pendingHelp.help, type: kind, samples: [] };
      families.set(name, family);
      pendingHelp = undefined;
    } else {
      if (!family || pendingHelp) throw new Error(`This line belongs to no metric: ${line}`);
      family.samples.push(parseSample(line, family));
    }
  }
  for (const one of families.values()) requireConsistency(one);
  return new Scrape(families);
}

function parseSample(line: string, { name: family, type }: MetricFamily): Sample {
  const [, name = "", labelText = "", valueText = ""] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"\\}]|"(?:[^"\\\n]|\\[\\"n])*")*)\})? (\S+)$/.exec(line) ?? [];
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (!suffixes.some((suffix) => family + suffix === name)) throw new Error(`This is not a line of ${family}: ${line}`);
  if (!/^([+-]?(\d+(\.\d+)?(e[+-]?\d+)?|Inf)|NaN)$/.test(valueText)) throw new Error(`This is not a number: ${line}`);
  const labels: Record<string, string> = {};
  let rest = labelText;
  while (rest !== "") {
    const pair = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,(?=.)|$)/.exec(rest);
    if (!pair) throw new Error(`These are not labels: ${line}`);
    const [whole, label = "", value = ""] = pair;
    if (label in labels) throw new Error(`A label occurs twice: ${line}`);
    labels[label] = replaceEscapes(value, /\\[\\"n]/);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(valueText.replace("Inf", "Infinity")) };
}

function replaceEscapes(text: string, escapes: RegExp): string {
  return text.replace(new RegExp(escapes, "g"), (escaped) => (escaped === "\\n" ? "\n" : escaped.slice(1)));
}

function requireConsistency({ name, type, samples }: MetricFamily): void {
  const labelTexts = new Set(
    samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()])),
  );
  if (labelTexts.size < samples.length) throw new Error(`${name} has the same labels twice.`);
  for (const { value } of samples) {
    if (type !== "gauge" && !(value >= 0 && value < Number.POSITIVE_INFINITY)) throw new Error(`${name} is ${value}.`);
  }
  if (type === "histogram") requireHistogram(name, samples);
}

/** Checks that buckets ascend, are cumulative, and end with `+Inf`, whose value equals the count. */
function requireHistogram(name: string, samples: readonly Sample[]): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const [group, members] of groups) {
    const buckets = members.filter((member) => member.name === `${name}_bucket`);
    const [count, ...moreCounts] = members.filter((member) => member.name === `${name}_count`);
    const sums = members.filter((member) => member.name === `${name}_sum`);
    const bounds = buckets.map(({ labels }) => Number((labels["le"] ?? "").replace("+Inf", "Infinity")));
    const isAscending = (values: readonly number[], mayBeSame: boolean) =>
      values.every((value, index) => {
        const previous = values[index - 1] ?? Number.NEGATIVE_INFINITY;
        return value > previous || (mayBeSame && value === previous);
      });
    const counts = buckets.map(({ value }) => value);
    const isComplete = bounds.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === count?.value;
    if (
      !isAscending(bounds, false) ||
      !isAscending(counts, true) ||
      !isComplete ||
      moreCounts.length + sums.length !== 1
    ) {
      throw new Error(`${name} ${group} is not a histogram.`);
    }
  }
}
