import type { JsonSchema } from "../operations/schema.ts";

export type Definition = Readonly<Record<string, unknown>>;

/** The named schemas of the document. */
export class Components {
  readonly schemas: Readonly<Record<string, Definition>>;
  readonly #descriptions: ReadonlyMap<unknown, unknown>;

  constructor(named: readonly JsonSchema[]) {
    this.#descriptions = new Map(named.map(({ $id, description }) => [$id, description]));
    this.schemas = Object.fromEntries(
      named.map((schema) => {
        const { $id: name, ...definition } = schema;
        return [name, this.#convert(definition)];
      }),
    );
  }

  /** Returns a reference if the schema has a name; a description of this use is beside the reference. */
  use(schema: Omit<JsonSchema, "type">): Definition {
    const { $id: name, ...definition } = schema;
    if (!name) return this.#convert(definition);
    const { description } = definition;
    const isOwn = description === undefined || description === this.#descriptions.get(name);
    return { $ref: `#/components/schemas/${name}`, ...(!isOwn && { description }) };
  }

  #convert(definition: Definition): Definition {
    return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, this.#convertValue(value)]));
  }

  #convertValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#convertValue(item));
    return typeof value === "object" && value !== null ? this.use(value as JsonSchema) : value;
  }
}
