export interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly notes?: readonly string[];
}

export interface Results {
  readonly date: string;
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly sections: readonly Section[];
}

export function formatReport({ date, command, versions, sections }: Results): string {
  const versionTexts = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [`\`${command}\`, ${date.slice(0, 10)}. ${versionTexts.join("; ")}.`, ...sections.map(formatSection)].join(
    "\n\n",
  );
}

/** Formats a number with about three significant digits. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "-";
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function formatSection({ title, columns, rows, notes = [] }: Section): string {
  const texts = [columns, ...rows].map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatNumber(cell) : cell)),
  );
  const widths = columns.map((_, index) => Math.max(...texts.map((row) => row[index]?.length ?? 0)));
  const formatLine = (row: readonly string[]) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = texts;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [
    `### ${title}`,
    "",
    formatLine(head),
    rule,
    ...body.map(formatLine),
    ...notes.map((note) => `\n${note}`),
  ].join("\n");
}
