import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes what the client knows of the API, its types and where each operation is, from the OpenAPI document. */
const project = join(import.meta.dir, "..");
const file = "src/client/generated.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: { readonly enum?: readonly string[] };
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Reference {
  readonly $ref: string;
}
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Response {
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

const document: Document = JSON.parse(readFileSync(join(project, "openapi.json"), "utf8"));
const { components } = document;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const text = `// Generated from openapi.json by scripts/client-types.ts; \`npm run client-types\` writes it anew.

/** A 64-bit integer: a number where that is exact, a bigint beyond 2^53. */
export type Int64 = number | bigint;

${Object.entries(components.schemas).map(declaration).join("\n\n")}

/** What each operation takes and gives. */
export interface Operations {
${operations.map(signature).join("\n")}
}

/** Where each operation is, and how its body is sent. */
export const operations = {
${operations.map(location).join("\n")}
} as const;

/** Every operation is under this path. */
export const basePath = ${JSON.stringify(new URL(document.servers[0]?.url ?? "").pathname)};

/** The options of calls that are sent as a header. */
export const headerOptions = {
${[...new Set(operations.flatMap(({ operation }) => headersOf(operation).map(({ name }) => name)))]
  .map((name) => `${optionOf(name)}: ${JSON.stringify(name)},`)
  .join("\n")}
} as const;
`;

const formatted = spawnSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${file}`], {
  cwd: project,
  input: text,
  encoding: "utf8",
});
if (formatted.status !== 0) throw new Error(formatted.stderr);
if (process.argv.includes("--print")) process.stdout.write(formatted.stdout);
else writeFileSync(join(project, file), formatted.stdout);

function declaration([name, schema]: [string, Schema]): string {
  const comment = commentOf(schema.description);
  if (schema.properties) return `${comment}export interface ${name} ${fieldsOf(schema)}`;
  return `${comment}export type ${name} = ${typeOf(schema)};`;
}

function signature({ operation }: { operation: Operation }): string {
  const { operationId, requestBody } = operation;
  const body = requestBody && Object.values(requestBody.content)[0]?.schema;
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const results = successes.map(([, { content }]) => {
    const [schema] = Object.values(content ?? {});
    return schema ? typeOf(schema.schema) : "undefined";
  });
  // What is sent with every success, whichever it is.
  const sure = successes.map(([, { headers = {} }]) =>
    Object.keys(headers).filter((name) => components.headers[nameOf(headers[name])]?.required),
  );
  const always = (sure[0] ?? []).filter((name) => sure.every((names) => names.includes(name)));
  return `${operationId}: {
    path: ${parametersOf(operation, "path")};
    query: ${parametersOf(operation, "query")};
    options: ${parametersOf(operation, "header")};
    body: ${body ? `${typeOf(body)}${requestBody.required ? "" : " | undefined"}` : "undefined"};
    status: ${successes.map(([status]) => status).join(" | ")};
    result: ${[...new Set(results)].join(" | ")};
    headers: ${always.map((name) => JSON.stringify(name)).join(" | ")};
  };`;
}

function location({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
  const facts = {
    method,
    path,
    takesKey: headersOf(operation).some(({ name }) => name === "Idempotency-Key"),
    ...(mediaType && { mediaType }),
  };
  return `${operation.operationId}: ${JSON.stringify(facts)},`;
}

function parametersOf(operation: Operation, place: Parameter["in"]): string {
  const fields = (place === "header" ? headersOf(operation) : allParametersOf(operation))
    .filter((parameter) => parameter.in === place)
    .map(({ name, required, description, schema }) => {
      const key = place === "header" ? optionOf(name) : name;
      return `${commentOf(description)}readonly ${key}${required ? "" : "?"}: ${typeOf(schema)}${required ? "" : " | undefined"};`;
    });
  return fields.length === 0 ? "Readonly<Record<never, never>>" : `{\n${fields.join("\n")}\n}`;
}

function headersOf(operation: Operation): Parameter[] {
  return allParametersOf(operation).filter((parameter) => parameter.in === "header");
}

function allParametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) => {
    if (!("$ref" in parameter)) return parameter;
    const shared = components.parameters[nameOf(parameter)];
    if (!shared) throw new Error(`There is no ${parameter.$ref}.`);
    return shared;
  });
}

/** `If-None-Match` is the option `ifNoneMatch`, and `X-Request-Id` the option `requestId`. */
function optionOf(header: string): string {
  const words = header.toLowerCase().replace(/^x-/, "");
  return words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOf(schema as Reference);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(" | ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.map((type) => plainTypeOf(type, schema)).join(" | ") || "unknown";
}

function plainTypeOf(type: string, schema: Schema): string {
  switch (type) {
    case "integer":
      return isSafe(schema) ? "number" : "Int64";
    case "array":
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectTypeOf(schema);
    default:
      return type;
  }
}

/** Whether every integer that the schema allows is exact as a number. */
function isSafe({ format, minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return format !== "int64" || (minimum >= Number.MIN_SAFE_INTEGER && maximum <= Number.MAX_SAFE_INTEGER);
}

function objectTypeOf(schema: Schema): string {
  const { properties = {}, propertyNames } = schema;
  if (Object.keys(properties).length > 0) return fieldsOf(schema);
  const names = propertyNames?.enum?.map((name) => JSON.stringify(name)).join(" | ");
  return names ? `{ readonly [Name in ${names}]?: unknown }` : "Readonly<Record<string, unknown>>";
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return `${commentOf(schema.description)}readonly ${name}${isRequired ? "" : "?"}: ${typeOf(schema)}${isRequired ? "" : " | undefined"};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function nameOf(reference: Reference | undefined): string {
  return reference?.$ref.split("/").at(-1) ?? "";
}

function commentOf(description: string | undefined): string {
  return description ? `/** ${description.replaceAll("*/", "*\\/").replace(/\s*\n\s*/g, " ")} */\n` : "";
}
