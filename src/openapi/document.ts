import { encodeCursor } from "../domain/page-cursor.ts";
import { errorKinds } from "../operations/errors.ts";
import { type EventKind, eventKinds } from "../operations/events/event-kinds.ts";
import { schemas } from "../operations/index.ts";
import {
  canBeRevalidated,
  createdStatus,
  defaultBodyTypes,
  type Examples,
  hasContent,
  notModified,
  type Operation,
  pathParameter,
  possibleErrors,
  queryFields,
  tags,
} from "../operations/operation.ts";
import { type Fields, type JsonSchema, maxValues, whenAbsent } from "../operations/schema.ts";
import { Components, type Definition, SharedResponses } from "./components.ts";
import { headerParameters, requestHeaders, successHeaders } from "./headers.ts";
import { introduction } from "./introduction.ts";

export interface Server {
  readonly url: string;
  readonly description: string;
}

/** Clients recognise the service by this title. */
export const serviceTitle = "Animal Store";

export function createOpenApiDocument(operations: readonly Operation[], servers: readonly Server[]): Definition {
  const components = new Components(schemas);
  const responses = new SharedResponses(operations, components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(pathParameter, "{$1}");
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, components, responses),
    };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: serviceTitle,
      version: "1.0.0",
      summary: "The catalogue of a store's animals: list, add, change and order them.",
      description: introduction,
      contact: { name: "The animal-store project" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{ bearerAuth: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(eventKinds.map((kind) => [kind.type, describeEvent(kind, components)])),
    components: {
      schemas: components.schemas,
      headers: responses.headers.definitions,
      parameters: headerParameters,
      responses: responses.definitions,
      securitySchemes: {
        bearerAuth: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key: `Authorization: Bearer <API_KEY>`. The operator of the store creates keys, each with the scope `read`, `write` or `admin`. Each scope includes those before it.",
        },
      },
    },
  };
}

function describeOperation(operation: Operation, components: Components, responses: SharedResponses) {
  const { id, tag, summary, description, stability, scope, deprecated, isStrict, params, body, success } = operation;
  const parameters = [
    ...describeParameters("path", params ?? {}, operation, components),
    ...describeParameters("query", queryFields(operation), operation, components),
    ...requestHeaders(operation),
  ];
  const bodyContent = body && describeContent(body.schema, body.examples, components);
  const representations = [
    [success.mediaType ?? "application/json", success] as const,
    ...Object.entries(success.otherTypes ?? {}),
  ].map(([type, { schema, examples }]) => [type, describeContent(schema, examples, components)]);
  const describeSuccess = (description: string) => ({
    description,
    headers: responses.headers.refer(successHeaders(operation)),
    ...(hasContent(operation) && { content: Object.fromEntries(representations) }),
  });
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nNeeds a key with the scope \`${scope}\`.${isStrict ? " Unknown body fields and query parameters get 400." : ""}`,
    ...(deprecated ? { deprecated: true, "x-sunset": deprecated.sunset } : undefined),
    "x-stability-level": stability,
    "x-required-scope": scope,
    parameters,
    ...(body && {
      requestBody: {
        ...(body.kibibytes && { description: `At most ${body.kibibytes} KiB.` }),
        required: !body.isOptional,
        content: Object.fromEntries((body.types ?? defaultBodyTypes).map((type) => [type, bodyContent])),
      },
    }),
    responses: {
      [success.status]: describeSuccess(success.description),
      ...(success.created && { [createdStatus]: describeSuccess(success.created) }),
      ...(canBeRevalidated(operation) && { [notModified.status]: responses.refer("NotModified", operation) }),
      ...Object.fromEntries(
        possibleErrors(operation).map((code) => [errorKinds[code].status, responses.refer(code, operation)]),
      ),
    },
  };
}

function describeEvent({ type, summary, schema, example }: EventKind, components: Components) {
  return {
    post: {
      operationId: `on${schema.$id}`,
      tags: ["events"],
      summary,
      description: schema.description,
      "x-stability-level": "beta",
      security: [],
      requestBody: {
        required: true,
        content: { "application/json": describeContent(schema, { [type]: [summary, example] }, components) },
      },
      responses: { "2XX": { description: "The event was received." } },
    },
  };
}

function describeParameters(location: "path" | "query", fields: Fields, operation: Operation, components: Components) {
  return Object.entries(fields).map(([name, field]) => {
    const { description, "x-stability-level": stability, [maxValues]: maxCount, examples: _, ...schema } = field;
    return {
      name,
      in: location,
      required: location === "path",
      description,
      ...(stability ? { "x-stability-level": stability } : undefined),
      example: chooseExample(name, field, operation),
      ...(maxCount === undefined ? { schema: components.use(schema) } : describeList(components.use(schema), maxCount)),
    };
  });
}

/** API tools send the examples, so a call with them should succeed on a store that has some data. */
function chooseExample(name: string, field: JsonSchema, { id, isPaged }: Operation): unknown {
  if (isPaged && name === "cursor") return encodeCursor({ after: 1 }, id);
  const { examples = [], enum: values = [] } = field as { examples?: []; enum?: [] };
  return [...examples, field["default"] ?? field[whenAbsent], ...values, 1].find((value) => value !== undefined);
}

function describeList(schema: Definition, maxItems: number) {
  return {
    style: "form",
    explode: false,
    schema: { oneOf: [schema, { type: "array", items: schema, minItems: 1, maxItems }] },
  };
}

function describeContent(schema: JsonSchema, examples: Examples, components: Components) {
  const named = Object.entries(examples).map(([name, [summary, value]]) => [name, { summary, value }]);
  return { schema: components.use(schema), examples: Object.fromEntries(named) };
}
