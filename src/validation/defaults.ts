import { type Fields, type ObjectSchema, whenAbsent } from "../operations/schema.ts";
import type { Values } from "./validator.ts";

/** Returns the values of omitted query parameters. */
export function queryDefaults(fields: Fields): Values {
  const given = Object.entries(fields).filter(([, schema]) => schema["default"] !== undefined);
  return Object.fromEntries(given.map(([name, schema]) => [name, schema["default"]]));
}

/** Returns the values, and the defaults of those that are missing. */
export function fill(values: Values, defaults: Values): Values {
  let filled: Record<string, unknown> | undefined;
  for (const name in defaults) {
    if (values[name] !== undefined) continue;
    filled ??= { ...values };
    filled[name] = defaults[name];
  }
  return filled ?? values;
}

/** Returns a function that copies a body: its known fields in the order of the schema, with defaults for those that are omitted. */
export function bodyCopier({ properties }: ObjectSchema): (values: Values) => Values {
  const fields = Object.entries(properties).map(([name, schema]) => [name, schema[whenAbsent]] as const);
  return (values) => {
    const copy: Record<string, unknown> = {};
    for (const [name, omitted] of fields) {
      const value = values[name] === undefined ? omitted : values[name];
      if (value !== undefined) copy[name] = value;
    }
    return copy;
  };
}
