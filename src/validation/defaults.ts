import type { Fields, whenAbsent } from "../operations/schema.ts";
import type { Values } from "./validator.ts";

/** What the fields stand for where they are left out. */
export function defaultsOf(fields: Fields, keyword: "default" | typeof whenAbsent): Values {
  const given = Object.entries(fields).filter(([, schema]) => schema[keyword] !== undefined);
  return Object.fromEntries(given.map(([name, schema]) => [name, schema[keyword]]));
}

/** The values, and what is left out of them. */
export function fill(values: Values, defaults: Values): Values {
  let filled: Record<string, unknown> | undefined;
  for (const name in defaults) {
    if (values[name] !== undefined) continue;
    filled ??= { ...values };
    filled[name] = defaults[name];
  }
  return filled ?? values;
}
