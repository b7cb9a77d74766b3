import { choiceSetting } from "../../config.ts";

export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

export const formatSetting = choiceSetting("--format FORMAT", formats, {
  help: "ndjson, one object per line, or csv, whose first line names the columns. By default taken from the file extension.",
});

export function guessFormat(file: string): Format | undefined {
  if (/\.csv$/i.test(file)) return "csv";
  return /\.(ndjson|jsonl)$/i.test(file) ? "ndjson" : undefined;
}
