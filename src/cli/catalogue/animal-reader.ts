import { parseCsvRecord, unclosedQuote } from "../../base/csv.ts";
import { parseJson } from "../../base/json.ts";
import { SettingsError } from "../../config.ts";
import type { NewPet } from "../../domain/pet.ts";
import { InvalidInput, InvalidItem, notAnObject } from "../../operations/invalid-input.ts";
import { NewPet as NewPetSchema } from "../../operations/pets/schemas.ts";
import { ItemReader, parseParameter } from "../../validation/validator.ts";
import { plural } from "../terminal/plural.ts";
import { maxRecordLength, type RawRecord } from "./batches.ts";
import type { Format } from "./format.ts";

export class AnimalReader {
  readonly #items = new ItemReader("", NewPetSchema);
  readonly #notedFields = new Set<string>();
  #columns: readonly string[] = [];
  #hasUnclosedQuote = false;

  constructor(
    private readonly format: Format,
    private readonly note: (text: string) => void,
  ) {}

  begin(header = ""): void {
    if (this.format === "csv" && this.#columns.length === 0) this.#columns = parseHeader(header);
  }

  read({ line, text }: RawRecord): NewPet | string {
    if (text === undefined) return `This ${unreadable}.`;
    const values = this.format === "csv" ? this.#parseCsv(text) : this.#parseJson(text);
    if (values === unclosedQuote && !this.#hasUnclosedQuote) {
      // The reasons for rejecting the lines after the quote do not show that the quote is their cause.
      this.#hasUnclosedQuote = true;
      this.note(`The quote that is opened in line ${line + text.split("\n").length - 1} is never closed.`);
    }
    if (typeof values === "string") return values;
    const animal = this.#items.read(values, false);
    if (animal instanceof InvalidItem) return new InvalidInput(animal.complaints).message;
    return animal as unknown as NewPet;
  }

  #parseJson(text: string): unknown {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return "This is not valid JSON.";
    }
    if (typeof value === "string" || Array.isArray(value)) return notAnObject.message;
    for (const field in value as object) if (!knownFields.has(field)) this.#ignore(field);
    return value;
  }

  #parseCsv(text: string): Record<string, unknown> | string {
    const fields = parseCsvRecord(text);
    if (typeof fields === "string") return fields;
    if (fields.length !== this.#columns.length) {
      return `This line has ${fields.length} ${plural(fields.length, "field")}, but the first line names ${this.#columns.length} columns.`;
    }
    const values: Record<string, unknown> = {};
    for (const [index, column] of this.#columns.entries()) {
      const field = fields[index] ?? "";
      if (!knownFields.has(column)) this.#ignore(column);
      // An empty cell is an omitted field, except for the name, which is then reported as empty.
      else if (field !== "" || column === "name")
        values[column] = parseParameter(NewPetSchema.properties[column as keyof NewPet], field);
    }
    return values;
  }

  #ignore(field: string): void {
    if (this.#notedFields.has(field) || this.#notedFields.size >= maxNotedFields) return;
    this.#notedFields.add(field);
    this.note(
      field === "id"
        ? "The ids in the file are ignored: the store assigns its own. To keep ids, use animal-store copy."
        : `The unknown field ${JSON.stringify(field)} is ignored.`,
    );
  }
}

const unreadable = `is not valid UTF-8, or longer than ${maxRecordLength / 1024} KiB`;
const knownFields: ReadonlySet<string> = new Set(Object.keys(NewPetSchema.properties));
const maxNotedFields = 20;

function parseHeader(header: string): string[] {
  if (header === "") {
    throw new SettingsError(`The first line of the CSV ${unreadable}. Save the file as CSV in UTF-8. ${lineEndAdvice}`);
  }
  const columns = parseCsvRecord(header);
  const problems = typeof columns === "string" ? [columns] : findHeaderProblems(header, columns);
  if (problems.length === 0) return columns as string[];
  throw new SettingsError(`The first line of the CSV must name its columns. ${problems.join(" ")}`);
}

function findHeaderProblems(header: string, columns: readonly string[]): string[] {
  const missing = NewPetSchema.required.filter((name) => !columns.includes(name));
  const repeated = columns.filter((name, index) => columns.indexOf(name) !== index);
  return [
    ...missing.map((name) => `It has no column ${name}.`),
    ...repeated.map((name) => `It has the column ${JSON.stringify(name)} twice.`),
    ...(columns.length === 1 && /[;\t]/.test(header) ? ["Separate the columns by commas."] : []),
    ...(header.includes("\r") ? [lineEndAdvice] : []),
  ];
}

const lineEndAdvice = "End each line with a line feed, or with CRLF.";
