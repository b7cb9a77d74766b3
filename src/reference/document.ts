/** The parts of an OpenAPI document that the reference and the types of the client are made from. */
export interface ReferenceDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentedEvent }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly "x-sunset"?: string;
  readonly "x-stability-level": string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly description?: string; readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface DocumentedEvent {
  readonly summary: string;
  readonly description: string;
  readonly "x-stability-level": string;
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly "x-stability-level"?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, Media>>;

export interface Media {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly propertyNames?: { readonly enum?: readonly unknown[] };
  readonly [keyword: string]: unknown;
}

export interface Reference {
  readonly $ref: string;
}

/** Returns the name of the component of a reference; undefined for any other part. */
export function nameOf(part: object): string | undefined {
  return "$ref" in part && typeof part.$ref === "string" ? part.$ref.slice(part.$ref.lastIndexOf("/") + 1) : undefined;
}

/** Returns the component of a reference, or else the part itself. */
export function resolved<Part extends object>(
  part: Part | Reference,
  components: Readonly<Record<string, Part>>,
): Part {
  const name = nameOf(part);
  if (name === undefined) return part as Part;
  const component = components[name];
  if (!component) throw new Error(`The document refers to ${name}, which it does not have.`);
  return component;
}

export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

export function operationsOf({ paths }: ReferenceDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
