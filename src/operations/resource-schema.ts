import {
  type ChangesOf,
  type Field,
  type NewFields,
  type NewValuesOf,
  namesOf,
  type PresentedOf,
  type ResourceFields,
  selectChangeableFields,
  selectNewFields,
} from "../domain/fields.ts";
import { idField, int64Field, nameField, optionalIdField, optionalTimeField, timeField } from "./fields.ts";
import { expects, type Fields, type JsonSchema, type ObjectSchema, type Typed, whenAbsent } from "./schema.ts";

/** The description of each field of a resource, with an `$id` if the schema of the field has a name in the OpenAPI document. */
export type Documentation<Fields extends ResourceFields> = Readonly<Record<keyof Fields, string | DocumentedField>>;
type DocumentedField = { readonly $id?: string; readonly description: string };

/** Returns the schema of a resource in responses. */
export function resourceSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<Fields>,
): SchemaOf<PresentedOf<Fields>, keyof Fields> {
  const properties = convert(fields, documentation, responseSchema);
  return { $id, type: "object", description, required: namesOf(fields), properties } as never;
}

/** Returns the schema of a request that creates a resource. */
export function newResourceSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<NewFields<Fields>>,
): SchemaOf<NewValuesOf<Fields>, keyof NewFields<Fields>> {
  const properties = convert(selectNewFields(fields), documentation, creationSchema);
  const required = namesOf(properties).filter((name) => !(whenAbsent in (properties[name] ?? {})));
  return { $id, type: "object", description, required, properties } as never;
}

export function patchSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<Fields>,
): SchemaOf<ChangesOf<Fields>, never> {
  const properties = convert(selectChangeableFields(fields), documentation, requestSchema);
  return { $id, type: "object", description, properties } as never;
}

/** The schema of an object with these values, after its defaults were filled in. */
interface SchemaOf<Values, RequiredName> extends ObjectSchema {
  readonly $id: string;
  readonly description: string;
  readonly required: readonly (RequiredName & string)[];
  readonly properties: { readonly [Name in keyof Values]-?: JsonSchema & Typed<Values[Name]> };
}

function convert(
  fields: ResourceFields,
  documentation: Readonly<Record<string, string | DocumentedField>>,
  toSchema: (field: Field, description: string) => JsonSchema,
): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const documented = documentation[name] ?? "";
      const { description, $id } = typeof documented === "string" ? { description: documented } : documented;
      return [name, { ...($id !== undefined && { $id }), ...toSchema(field, description) }];
    }),
  );
}

function responseSchema(field: Field, description: string): JsonSchema {
  if (field.kind === "id") return field.isOptional ? optionalIdField(description) : idField(description);
  if (field.kind === "time") return field.isOptional ? optionalTimeField(description) : timeField(description);
  return requestSchema(field, description);
}

/** Any 64-bit integer is accepted as an id: the operation rejects ids that do not exist. */
function requestSchema(field: Field, description: string): JsonSchema {
  const { kind, maxLength = 255, isOptional, of = [] } = field;
  const schema: JsonSchema =
    kind === "choice"
      ? { type: "string", enum: of, description, [expects]: `one of ${of.join(", ")}` }
      : kind === "name" || kind === "text"
        ? nameField(description, maxLength)
        : int64Field(description);
  if (!isOptional) return schema;
  return {
    ...schema,
    type: [schema.type, "null"] as JsonSchema["type"],
    ...(kind === "choice" && { enum: [...of, null] }),
    // Without a type, the schema in `not` would match null, and null would be refused.
    ...(schema["not"] !== undefined && { not: { type: "string", ...(schema["not"] as object) } }),
    [expects]: `${schema[expects]}, or null`,
  };
}

function creationSchema(field: Field, description: string): JsonSchema {
  const schema = requestSchema(field, description);
  if (field.default !== undefined) {
    return { ...schema, description: `${description} Default: \`${field.default}\`.`, [whenAbsent]: field.default };
  }
  return field.isOptional ? { ...schema, [whenAbsent]: null } : schema;
}
