import { oneOf, setting } from "../../config.ts";

/** How animals are written in a file. */
export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

export const formatSetting = setting(oneOf(formats), {
  flag: "format",
  placeholder: "FORMAT",
  help: "ndjson, an object on each line, or csv, with a first line that names the columns. By default as the file's name ends.",
  expects: "ndjson or csv",
  choices: formats,
});

/** By how the name of the file ends; undefined if that tells nothing. */
export function formatOf(file: string): Format | undefined {
  if (/\.csv$/i.test(file)) return "csv";
  return /\.(ndjson|jsonl)$/i.test(file) ? "ndjson" : undefined;
}
