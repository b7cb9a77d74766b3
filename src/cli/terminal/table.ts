import { escapeControls } from "../../base/escape-controls.ts";
import type { Paint, Style } from "./style.ts";

/** One field of an object, as people see it. */
export interface Column {
  readonly title: string;
  readonly field: string;
  readonly write?: (value: unknown) => string;
  readonly style?: (value: unknown) => Style | undefined;
  /** True if a list may truncate it on a narrow terminal. */
  readonly isFlexible?: boolean;
}

export interface Look {
  readonly width: number;
  readonly paint: Paint;
}

/** A table in constant memory: the first rows determine the widths of the columns. */
export class Table {
  readonly #columns: readonly Column[];
  readonly #look: Look;
  readonly #first: object[] = [];
  #widths: readonly number[] | undefined;
  isEmpty = true;

  constructor(columns: readonly Column[], look: Look) {
    this.#columns = columns;
    this.#look = look;
  }

  /** Yields the lines that can be shown. */
  *add(row: object): Generator<string> {
    this.isEmpty = false;
    if (this.#widths) yield this.#line(row, this.#widths);
    else if (this.#first.push(row) === rowsForWidths) yield* this.end();
  }

  /** Yields the remaining lines. */
  *end(): Generator<string> {
    if (this.#widths || this.isEmpty) return;
    this.#widths = this.#fit(this.#columns.map((column) => this.#widest(column)));
    const titles = this.#columns.map(({ title }, index) => fill(title, this.#widths?.[index] ?? 0));
    yield this.#look.paint("bold", titles.join("  ").trimEnd());
    for (const row of this.#first.splice(0)) yield this.#line(row, this.#widths);
  }

  #widest(column: Column): number {
    return Math.max(
      ...[column.title, ...this.#first.map((row) => textOf(row, column))].map((text) => Bun.stringWidth(text)),
    );
  }

  /** Shrinks flexible columns to fit the terminal, the widest first. */
  #fit(wanted: readonly number[]): number[] {
    const widths = [...wanted];
    const gaps = 2 * (widths.length - 1);
    let excess = widths.reduce((sum, width) => sum + width, gaps) - this.#look.width;
    const flexible = this.#columns.flatMap(({ isFlexible }, index) => (isFlexible ? [index] : []));
    for (const index of flexible.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0))) {
      const taken = Math.min(Math.max(0, excess), Math.max(0, (widths[index] ?? 0) - narrowest));
      widths[index] = (widths[index] ?? 0) - taken;
      excess -= taken;
    }
    return widths;
  }

  #line(row: object, widths: readonly number[]): string {
    const texts = this.#columns.map((column) => textOf(row, column));
    // A later row may be wider than the first ones. It is truncated only if the terminal is too narrow.
    const needed = texts.reduce(
      (sum, text, index) => sum + Math.max(Bun.stringWidth(text), widths[index] ?? 0) + 2,
      -2,
    );
    const isTooLong = needed > this.#look.width;
    const cells = this.#columns.map((column, index) => {
      const width = widths[index] ?? 0;
      const text = texts[index] ?? "";
      const shown = fill(isTooLong && column.isFlexible ? cut(text, width) : text, width);
      const style = column.style?.(fieldOf(row, column));
      return style ? this.#look.paint(style, shown) : shown;
    });
    return cells.join("  ").trimEnd();
  }
}

const rowsForWidths = 100;
const narrowest = 12;

/** Shows one object, with a line per field. */
export function fieldLines(item: object, columns: readonly Column[], { paint }: Look): string {
  const title = Math.max(...columns.map((column) => Bun.stringWidth(column.title)));
  return columns
    .map((column) => {
      const text = textOf(item, column);
      const style = column.style?.(fieldOf(item, column));
      return `${paint("bold", fill(column.title, title))}  ${style ? paint(style, text) : text}`;
    })
    .join("\n");
}

function fieldOf(row: object, { field }: Column): unknown {
  return (row as Readonly<Record<string, unknown>>)[field];
}

function textOf(row: object, column: Column): string {
  const value = fieldOf(row, column);
  return escapeControls(
    column.write ? column.write(value) : value === null || value === undefined ? "-" : String(value),
  );
}

function fill(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) {
    if (Bun.stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Created on first use, because that takes long. */
let graphemes: Intl.Segmenter | undefined;
