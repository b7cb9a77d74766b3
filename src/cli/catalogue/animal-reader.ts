import { parseCsvRecord, unclosedQuote } from "../../base/csv.ts";
import { parseJson } from "../../base/json.ts";
import { SettingsError } from "../../config.ts";
import type { NewPet } from "../../domain/pet.ts";
import { InvalidInput, InvalidItem, notAnObject } from "../../operations/invalid-input.ts";
import { NewPet as NewPetSchema } from "../../operations/pets/schemas.ts";
import { ItemReader, parseParameter } from "../../validation/validator.ts";
import { plural } from "../terminal/plural.ts";
import { maxRecordLength, type RawRecord, tooLongHeader } from "./batches.ts";
import type { Format } from "./format.ts";

/** Converts records to animals, by the same checks as the API. */
export class AnimalReader {
  readonly #items = new ItemReader("", NewPetSchema);
  readonly #format: Format;
  readonly #note: (text: string) => void;
  readonly #noted = new Set<string>();
  #columns: readonly string[] | undefined;
  #hasOpenQuote = false;

  /** `note` reports each ignored field once, and the first quote that is never closed. */
  constructor(format: Format, note: (text: string) => void) {
    this.#format = format;
    this.#note = note;
  }

  /** Called before the first record, with the first line of CSV. Throws SettingsError if that line is unusable. */
  begin(header: string | undefined): void {
    if (this.#format === "csv") this.#columns ??= columnsOf(header ?? "");
  }

  /** Returns the animal, or the problem of the record. */
  read({ line, text }: RawRecord): NewPet | string {
    if (text === undefined) return `This is not valid UTF-8, or longer than ${maxRecordLength / 1024} KiB.`;
    const values = this.#format === "csv" ? this.#valuesOfCsv(text) : this.#valuesOfJson(text);
    if (values === unclosedQuote) this.#noteOpenQuote(line + text.split("\n").length - 1);
    if (typeof values === "string") return values;
    const animal = this.#items.read(values, false);
    if (animal instanceof InvalidItem) return new InvalidInput(animal.complaints).message;
    return animal as unknown as NewPet;
  }

  #valuesOfJson(text: string): unknown {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return "This is not valid JSON.";
    }
    // A string would be mistaken for a problem.
    if (typeof value === "string" || Array.isArray(value)) return notAnObject.message;
    for (const field in value as object) if (!known.has(field)) this.#ignore(field);
    return value;
  }

  #valuesOfCsv(text: string): Record<string, unknown> | string {
    const fields = parseCsvRecord(text);
    if (typeof fields === "string") return fields;
    const columns = this.#columns ?? [];
    if (fields.length !== columns.length) {
      return `This line has ${fields.length} ${plural(fields.length, "field")}, but the first line names ${columns.length} columns.`;
    }
    const values: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] ?? "";
      const field = fields[index] ?? "";
      if (!known.has(column)) this.#ignore(column);
      // An empty cell is an omitted field, except for the name, which is then reported as empty.
      else if (field !== "" || column === "name")
        values[column] = parseParameter(NewPetSchema.properties[column as keyof NewPet], field);
    }
    return values;
  }

  /** After it, every line may fail for other reasons, which would hide this one. */
  #noteOpenQuote(line: number): void {
    if (!this.#hasOpenQuote) this.#note(`The quote that is opened in line ${line} is never closed.`);
    this.#hasOpenQuote = true;
  }

  #ignore(field: string): void {
    if (this.#noted.has(field) || this.#noted.size >= maxNoted) return;
    this.#noted.add(field);
    this.#note(
      field === "id"
        ? "The ids in the file are ignored: the store assigns its own. To keep ids, use animal-store copy."
        : `The unknown field ${JSON.stringify(field)} is ignored.`,
    );
  }
}

const known: ReadonlySet<string> = new Set(Object.keys(NewPetSchema.properties));
const maxNoted = 20;

function columnsOf(header: string): string[] {
  if (header === "")
    throw new SettingsError("The first line of the CSV is not valid UTF-8. Save the file as CSV in UTF-8.");
  if (header === tooLongHeader)
    throw new SettingsError(`The first line of the CSV is longer than ${maxRecordLength / 1024} KiB. ${endLines}`);
  const columns = fieldsOf(header);
  const problems =
    typeof columns === "string"
      ? [columns]
      : [
          ...NewPetSchema.required.filter((name) => !columns.includes(name)).map((name) => `It has no column ${name}.`),
          ...columns
            .filter((name, index) => columns.indexOf(name) !== index)
            .map((name) => `It has the column ${JSON.stringify(name)} twice.`),
          ...(columns.length === 1 && /[;\t]/.test(header) ? ["Separate the columns by commas."] : []),
          ...(header.includes("\r") ? [endLines] : []),
        ];
  if (problems.length === 0) return columns as string[];
  throw new SettingsError(`The first line of the CSV must name its columns. ${problems.join(" ")}`);
}

/** Some programs end lines with a carriage return alone. */
const endLines = "End each line with a line feed, or with CRLF.";
