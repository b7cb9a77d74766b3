import { escapeControls } from "../../base/escape-controls.ts";
import type { Paint, Style } from "./style.ts";

export interface Column {
  readonly title: string;
  readonly field: string;
  readonly format?: (value: unknown) => string;
  readonly style?: (value: unknown) => Style | undefined;
  /** True if a list may truncate the values of the column on a narrow terminal. */
  readonly isFlexible?: boolean;
}

export interface TerminalOptions {
  readonly width: number;
  readonly paint: Paint;
}

/** A table in constant memory: the first rows determine the widths of the columns. */
export class Table {
  readonly #firstRows: object[] = [];
  #widths: readonly number[] | undefined;
  isEmpty = true;

  constructor(
    private readonly columns: readonly Column[],
    private readonly terminal: TerminalOptions,
  ) {}

  *add(row: object): Generator<string> {
    this.isEmpty = false;
    if (this.#widths) yield this.#line(row, this.#widths);
    else if (this.#firstRows.push(row) === measuredRowCount) yield* this.end();
  }

  *end(): Generator<string> {
    if (this.#widths || this.isEmpty) return;
    const widths = this.#fitWidths();
    this.#widths = widths;
    const titles = this.columns.map(({ title }, index) => pad(title, widths[index]));
    yield this.terminal.paint("bold", titles.join("  ").trimEnd());
    for (const row of this.#firstRows.splice(0)) yield this.#line(row, widths);
  }

  /** Returns the widths of the columns. Shrinks flexible columns, the widest first, until the table fits the terminal. */
  #fitWidths(): number[] {
    const cells = this.columns.map((column) => this.#firstRows.map((row) => textOf(row, column)).concat(column.title));
    const widths = cells.map((texts) => Math.max(...texts.map((text) => Bun.stringWidth(text))));
    const gaps = 2 * (widths.length - 1);
    let excess = widths.reduce((sum, width) => sum + width, gaps) - this.terminal.width;
    const flexible = [...widths.entries()].filter(([index]) => this.columns[index]?.isFlexible);
    for (const [index, width] of flexible.toSorted(([, one], [, other]) => other - one)) {
      const cut = Math.min(Math.max(0, excess), Math.max(0, width - minWidth));
      widths[index] = width - cut;
      excess -= cut;
    }
    return widths;
  }

  #line(row: object, widths: readonly number[]): string {
    const texts = this.columns.map((column) => textOf(row, column));
    // A later row may be wider than the first ones. The row is truncated only if the terminal is too narrow.
    const needed = texts.map((text, index) => Math.max(Bun.stringWidth(text), widths[index] ?? 0));
    const isTooLong = needed.reduce((sum, width) => sum + width + 2, -2) > this.terminal.width;
    const cells = this.columns.map((column, index) => {
      const [text = "", width = 0] = [texts[index], widths[index]];
      const shown = isTooLong && column.isFlexible ? truncate(text, width) : text;
      return paintCell(row, column, pad(shown, width), this.terminal.paint);
    });
    return cells.join("  ").trimEnd();
  }
}

const measuredRowCount = 100;
const minWidth = 12;

export function formatFields(item: object, columns: readonly Column[], { paint }: TerminalOptions): string {
  const width = Math.max(...columns.map(({ title }) => Bun.stringWidth(title)));
  const line = (column: Column) =>
    `${paint("bold", pad(column.title, width))}  ${paintCell(item, column, textOf(item, column), paint)}`;
  return columns.map(line).join("\n");
}

function paintCell(row: object, column: Column, text: string, paint: Paint): string {
  const style = column.style?.(fieldOf(row, column));
  return style ? paint(style, text) : text;
}

function fieldOf(row: object, { field }: Column): unknown {
  return (row as Readonly<Record<string, unknown>>)[field];
}

function textOf(row: object, column: Column): string {
  const value = fieldOf(row, column);
  return escapeControls(column.format ? column.format(value) : String(value ?? "-"));
}

function pad(text: string, width = 0): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

function truncate(text: string, width: number): string {
  const cut = Bun.sliceAnsi(text, 0, width, "…");
  // The runtime counts only one column if the last character is two columns wide.
  return Bun.stringWidth(cut) > width ? Bun.sliceAnsi(text, 0, width - 1, "…") : cut;
}
