import type { JsonSchema } from "../operations/schema.ts";

export type Definition = Readonly<Record<string, unknown>>;

/** The schemas that the document names, each held once and referred to from everywhere else. */
export class Components {
  readonly schemas: Readonly<Record<string, Definition>>;

  constructor(named: readonly JsonSchema[]) {
    this.schemas = Object.fromEntries(
      named.map((schema) => {
        const { $id: name, ...definition } = schema;
        return [name, this.#convert(definition)];
      }),
    );
  }

  /** The schema as it stands where it is used. A default is beside the reference, since it differs from use to use. */
  use(schema: Omit<JsonSchema, "type">): Definition {
    const { $id: name, ...definition } = schema;
    if (!name) return this.#convert(definition);
    const reference = { $ref: `#/components/schemas/${name}` };
    return "default" in definition ? { ...reference, default: definition["default"] } : reference;
  }

  #convert(definition: Definition): Definition {
    return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, this.#convertValue(value)]));
  }

  #convertValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#convertValue(item));
    return typeof value === "object" && value !== null ? this.use(value as JsonSchema) : value;
  }
}
