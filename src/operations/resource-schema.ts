import {
  changeableFields,
  type Field,
  type NewFields,
  namesOf,
  newFields,
  type ResourceFields,
} from "../domain/fields.ts";
import { idField, int64Field, nameField, optionalIdField, optionalTimeField, timeField } from "./fields.ts";
import { expects, type JsonSchema, whenAbsent } from "./schema.ts";

/** The description of each field of a resource, with an `$id` if the schema of the field has a name in the OpenAPI document. */
export type Documentation<Fields extends ResourceFields> = Readonly<Record<keyof Fields, string | DocumentedField>>;
type DocumentedField = { readonly $id?: string; readonly description: string };

/** Returns the schema of a resource in responses. */
export function resourceSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<Fields>,
) {
  const properties = convert(fields, documentation, responseSchema) as {
    readonly [Name in keyof Fields]: SchemaOf<Fields[Name]>;
  };
  return { $id, type: "object", description, required: namesOf(fields), properties } as const;
}

/** Returns the schema of a request that creates a resource. */
export function newResourceSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<NewFields<Fields>>,
) {
  const properties = convert(newFields(fields), documentation, creationSchema) as NewProperties<Fields>;
  const entries = Object.entries<JsonSchema>(properties);
  const required = entries.flatMap(([name, schema]) => (whenAbsent in schema ? [] : (name as RequiredName<Fields>)));
  return { $id, type: "object", description, required, properties } as const;
}

/** Returns the schema of a merge patch (RFC 7396), in which every field may be omitted. */
export function patchSchema<const Fields extends ResourceFields>(
  $id: string,
  description: string,
  fields: Fields,
  documentation: Documentation<Fields>,
) {
  const properties = convert(changeableFields(fields), documentation, requestSchema) as {
    readonly [Name in keyof Fields as Fields[Name] extends { set: "always" } ? Name : never]: SchemaOf<Fields[Name]>;
  };
  return { $id, type: "object", description, properties } as const;
}

type NewProperties<Fields extends ResourceFields> = {
  readonly [Name in keyof NewFields<Fields>]: SchemaOf<Fields[Name]> &
    (Name extends RequiredName<Fields> ? unknown : { readonly [whenAbsent]: unknown });
};

type RequiredName<Fields extends ResourceFields> = {
  [Name in keyof NewFields<Fields>]: Fields[Name] extends { default: string } | { isOptional: true } ? never : Name;
}[keyof NewFields<Fields>] &
  string;

type SchemaOf<One extends Field> = JsonSchema &
  (One["kind"] extends "id" | "int64"
    ? { readonly type: Nullable<One, "integer">; readonly format: "int64" }
    : One extends { of: readonly (infer Choice)[] }
      ? {
          readonly type: Nullable<One, "string">;
          readonly enum: readonly (Choice | (One extends { isOptional: true } ? null : never))[];
        }
      : { readonly type: Nullable<One, "string"> });

type Nullable<One extends Field, Type> = One extends { isOptional: true } ? readonly [Type, "null"] : Type;

function convert(
  fields: ResourceFields,
  documentation: Readonly<Record<string, string | DocumentedField>>,
  toSchema: (field: Field, description: string) => JsonSchema,
) {
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

/** Returns the schema of a field in a request. Any 64-bit integer is accepted as an id: the operation rejects ids that do not exist. */
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
    // Without a type, the schema would match null, too.
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
