import { type Int64, int64FromText } from "../base/int64.ts";
import { type JsonSchema, mostValues } from "../operations/schema.ts";

/**
 * The value that the text of a parameter stands for; NaN, which no field takes, if it is no integer where one is due. Several
 * values are in ascending order, each of them once, so that the same list has one name.
 */
export function valueOfText(schema: JsonSchema, text: string): unknown {
  if (schema[mostValues] === undefined || !text.includes(",")) return oneValueOf(schema, text);
  const values = [...new Set(text.split(",").map((part) => oneValueOf(schema, part)))].sort(ascending);
  return values.length > 1 ? values : values[0];
}

function oneValueOf(schema: JsonSchema, text: string): Int64 | string {
  return schema.type === "integer" ? (int64FromText(text) ?? Number.NaN) : text;
}

function ascending(one: Int64 | string, other: Int64 | string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Whether the text is no integer where one is due. */
export function isNonsense(schema: JsonSchema, text: string): boolean {
  return Number.isNaN(valueOfText(schema, text));
}
