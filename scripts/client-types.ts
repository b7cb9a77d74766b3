/** Generates the client's types, and the path and method of each operation, from the OpenAPI document. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DocumentedOperation,
  listOperations,
  nameOf,
  type OperationAtPath,
  type Parameter,
  type ReferenceDocument,
  type Response,
  resolveReference,
  type Schema,
} from "../src/reference/document.ts";

const project = join(import.meta.dir, "..");
const outputFile = "packages/client/src/generated.ts";

const document: ReferenceDocument = JSON.parse(readFileSync(join(project, "openapi.json"), "utf8"));
const { components } = document;

/** The type of an object whose fields the OpenAPI document does not describe. */
const anyFieldsType = "Readonly<Record<string, unknown>>";

/** The pattern in the OpenAPI document for a comma-separated list of event types. */
const eventTypesPattern = createListPattern(components.schemas["EventType"]?.enum ?? []);

const operations = listOperations(document);

const text = `// Generated from openapi.json by scripts/client-types.ts; \`npm run client-types\` writes it anew.

/** A 64-bit integer: a number if it is a safe integer, otherwise a bigint. */
export type Int64 = number | bigint;

${Object.entries(components.schemas).map(renderDeclaration).join("\n\n")}

/** The arguments and the results of each operation. */
export interface Operations {
${operations.map(renderSignature).join("\n")}
}

/** The parts of a request that are the same for every call of an operation. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  /** The argument that follows the parameters of the path. */
  readonly payload?: "body" | "query";
  /** The media type of the body. */
  readonly mediaType?: string;
  readonly takesKey?: true;
  readonly isPaged?: true;
}

export const operations = {
${operations.map(renderOperationEntry).join("\n")}
} as const satisfies Readonly<Record<keyof Operations, OperationFacts>>;

/** The base path of all operations. */
export const basePath = ${JSON.stringify(new URL(document.servers[0]?.url ?? "").pathname)};

/** The options of calls that are sent as headers. */
export const headerOptions = {
${[...new Set(operations.flatMap(({ operation }) => headerParametersOf(operation).map(({ name }) => name)))]
  .map((name) => `${toOptionName(name)}: ${JSON.stringify(name)},`)
  .join("\n")}
} as const;
`;

const formatted = spawnSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${outputFile}`], {
  cwd: project,
  input: text,
  encoding: "utf8",
});
if (formatted.status !== 0) throw new Error(formatted.stderr);
if (process.argv.includes("--print")) process.stdout.write(formatted.stdout);
else writeFileSync(join(project, outputFile), formatted.stdout);

function renderDeclaration([name, schema]: [string, Schema]): string {
  const comment = renderComment(schema.description);
  if (schema.properties) return `${comment}export interface ${name} ${renderFields(schema)}`;
  return `${comment}export type ${name} = ${renderType(schema)};`;
}

function renderSignature({ operation }: OperationAtPath): string {
  const { operationId } = operation;
  const successResponses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, response]) => [status, resolveReference<Response>(response, components.responses)] as const);
  const resultTypes = successResponses.map(([, { content }]) => {
    const [schema] = Object.values(content ?? {});
    return schema ? renderType(schema.schema) : "undefined";
  });
  const requiredHeaders = successResponses.map(([, { headers = {} }]) =>
    Object.keys(headers).filter((name) => components.headers[nameOf(headers[name] ?? {}) ?? ""]?.required),
  );
  const alwaysSent = (requiredHeaders[0] ?? []).filter((name) =>
    requiredHeaders.every((names) => names.includes(name)),
  );
  return `${operationId}: {
    arguments: [${renderArguments(operation)}];
    query: ${renderParametersType(operation, "query")};
    options: ${renderParametersType(operation, "header")};
    body: ${describeBody(operation)?.type ?? "undefined"};
    status: ${successResponses.map(([status]) => status).join(" | ")};
    result: ${[...new Set(resultTypes)].join(" | ")};
    headers: ${alwaysSent.map((name) => JSON.stringify(name)).join(" | ")};
  };`;
}

function renderOperationEntry({ path, method, operation }: OperationAtPath): string {
  const facts = {
    method,
    path,
    payload: payloadKindOf(operation),
    mediaType: describeBody(operation)?.mediaType,
    takesKey: headerParametersOf(operation).some(({ name }) => name === "Idempotency-Key") || undefined,
    isPaged: isPaged(operation) || undefined,
  };
  return `${operation.operationId}: ${JSON.stringify(facts)},`;
}

/** Returns the type and the media type of the body. Returns undefined for a body without fields, which the client never sends. */
function describeBody({
  requestBody,
}: DocumentedOperation): { readonly type: string; readonly mediaType: string } | undefined {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (!requestBody || !content) return undefined;
  const [mediaType, { schema }] = content;
  if (renderType(schema) === anyFieldsType) return undefined;
  return { type: `${renderType(schema)}${requestBody.required ? "" : " | undefined"}`, mediaType };
}

function payloadKindOf(operation: DocumentedOperation): "body" | "query" | undefined {
  if (describeBody(operation)) return "body";
  return allParametersOf(operation).some((parameter) => parameter.in === "query") ? "query" : undefined;
}

function isPaged(operation: DocumentedOperation): boolean {
  return allParametersOf(operation).some(({ name }) => name === "cursor");
}

function renderArguments(operation: DocumentedOperation): string {
  const pathParameters = allParametersOf(operation).filter((parameter) => parameter.in === "path");
  const payloads = {
    body: [`body${operation.requestBody?.required ? "" : "?"}: ${describeBody(operation)?.type}`],
    query: [`query?: Operations["${operation.operationId}"]["query"]`],
    none: [],
  };
  const path = pathParameters.map(({ name, schema }) => `${name}: ${renderType(schema)}`);
  return [...path, ...payloads[payloadKindOf(operation) ?? "none"]].join(", ");
}

function renderParametersType(operation: DocumentedOperation, location: Parameter["in"]): string {
  const fields = (location === "header" ? headerParametersOf(operation) : allParametersOf(operation))
    .filter((parameter) => parameter.in === location)
    .map(({ name, required, description, schema }) => {
      const key = location === "header" ? toOptionName(name) : name;
      const type = schema.pattern === eventTypesPattern ? "EventType | readonly EventType[]" : renderType(schema);
      return `${renderComment(description)}readonly ${key}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};`;
    });
  return fields.length === 0 ? "Readonly<Record<never, never>>" : `{\n${fields.join("\n")}\n}`;
}

function createListPattern(values: readonly unknown[]): string {
  const anyValue = `(${values.map((value) => String(value).replaceAll(".", "\\.")).join("|")})`;
  return `^${anyValue}(,${anyValue}){0,${values.length - 1}}$`;
}

function headerParametersOf(operation: DocumentedOperation): Parameter[] {
  return allParametersOf(operation).filter((parameter) => parameter.in === "header");
}

function allParametersOf({ parameters }: DocumentedOperation): Parameter[] {
  return parameters.map((parameter) => resolveReference<Parameter>(parameter, components.parameters));
}

/** Returns the name of the client's option for a header: `ifNoneMatch` for `If-None-Match`, `requestId` for `X-Request-Id`. */
function toOptionName(header: string): string {
  const words = header.toLowerCase().replace(/^x-/, "");
  return words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function renderType(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.oneOf) return schema.oneOf.map(renderType).join(" | ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.map((type) => renderPlainType(type, schema)).join(" | ") || "unknown";
}

function renderPlainType(type: string, schema: Schema): string {
  switch (type) {
    case "integer":
      return isSafeInteger(schema) ? "number" : "Int64";
    case "array":
      return `readonly (${renderType(schema.items ?? {})})[]`;
    case "object":
      return renderObjectType(schema);
    default:
      return type;
  }
}

function isSafeInteger({ format, minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return format !== "int64" || (minimum >= Number.MIN_SAFE_INTEGER && maximum <= Number.MAX_SAFE_INTEGER);
}

function renderObjectType(schema: Schema): string {
  const { properties = {}, propertyNames } = schema;
  if (Object.keys(properties).length > 0) return renderFields(schema);
  const names = propertyNames?.enum?.map((name) => JSON.stringify(name)).join(" | ");
  return names ? `{ readonly [Name in ${names}]?: unknown }` : anyFieldsType;
}

function renderFields({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return `${renderComment(schema.description)}readonly ${name}${isRequired ? "" : "?"}: ${renderType(schema)}${isRequired ? "" : " | undefined"};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function renderComment(description: string | undefined): string {
  return description ? `/** ${description.replaceAll("*/", "*\\/").replace(/\s*\n\s*/g, " ")} */\n` : "";
}
