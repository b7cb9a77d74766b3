import { harmless } from "../../base/harmless.ts";
import type { Paint, Style } from "./style.ts";

/** What people see of an object in one place. */
export interface Column {
  readonly title: string;
  /** The field of the object. */
  readonly field: string;
  /** How its value is written, if not as it is. */
  readonly write?: (value: unknown) => string;
  readonly style?: (value: unknown) => Style | undefined;
  /** May be cut off where the terminal is too narrow; the details of one object show all of it. */
  readonly isFlexible?: boolean;
}

/** How much room there is, and whether there are colours. */
export interface Look {
  readonly width: number;
  readonly paint: Paint;
}

/** A table that grows: its columns are as wide as its first rows need, so that any number of rows takes the same memory. */
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

  /** The lines that can be shown now. */
  *add(row: object): Generator<string> {
    this.isEmpty = false;
    if (this.#widths) yield this.#line(row, this.#widths);
    else if (this.#first.push(row) === rowsForWidths) yield* this.end();
  }

  /** The lines that are left. */
  *end(): Generator<string> {
    if (this.#widths || this.isEmpty) return;
    this.#widths = this.#fit(this.#columns.map((column) => this.#widest(column)));
    const titles = this.#columns.map(({ title }, index) => fill(title, this.#widths?.[index] ?? 0));
    yield this.#look.paint("bold", titles.join("  ").trimEnd());
    for (const row of this.#first.splice(0)) yield this.#line(row, this.#widths);
  }

  #widest(column: Column): number {
    return Math.max(...[column.title, ...this.#first.map((row) => textOf(row, column))].map(widthOf));
  }

  /** Takes what is missing from the flexible columns, the widest first. */
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
    // A later row may be longer than the first ones; what the terminal has room for is not cut off.
    const needed = texts.reduce((sum, text, index) => sum + Math.max(widthOf(text), widths[index] ?? 0) + 2, -2);
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

/** One object, a line for each of its fields. */
export function fieldLines(item: object, columns: readonly Column[], { paint }: Look): string {
  const title = Math.max(...columns.map((column) => widthOf(column.title)));
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
  return harmless(column.write ? column.write(value) : value === null || value === undefined ? "-" : String(value));
}

function fill(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Made when it is needed first, since that takes long. */
let graphemes: Intl.Segmenter | undefined;

/** How many columns of a terminal it takes. */
function widthOf(text: string): number {
  return Bun.stringWidth(text);
}
