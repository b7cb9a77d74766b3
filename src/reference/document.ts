export interface ReferenceDocument {
  readonly info: Readonly<Record<"title" | "version" | "summary" | "description", string>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: ByName<ByName<DocumentedOperation>>;
  readonly webhooks: ByName<{ readonly post: DocumentedOperation }>;
  readonly components: {
    readonly schemas: ByName<Schema>;
    readonly headers: ByName<Header>;
    readonly parameters: ByName<Parameter>;
    readonly responses: ByName<Response>;
    readonly securitySchemes: ByName<{ readonly description: string }>;
  };
}

type ByName<Part> = Readonly<Record<string, Part>>;

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
  readonly responses: ByName<Response | Reference>;
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
  readonly headers?: ByName<Reference>;
  readonly content?: Content;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Content = ByName<Media>;

export interface Media {
  readonly schema: Schema;
  readonly examples: ByName<{ readonly summary: string; readonly value: unknown }>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: ByName<Schema>;
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

/** Returns the name of the component to which a reference points. */
export function nameOf(part: object): string | undefined {
  return "$ref" in part && typeof part.$ref === "string" ? part.$ref.slice(part.$ref.lastIndexOf("/") + 1) : undefined;
}

/** Returns the component to which a reference points, or a part that is not a reference unchanged. */
export function resolveReference<Part extends object>(part: Part | Reference, components: ByName<Part>): Part {
  const name = nameOf(part);
  if (name === undefined) return part as Part;
  const component = components[name];
  if (!component) throw new Error(`The document has no component ${name}, to which it refers.`);
  return component;
}

export interface OperationAtPath {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

export function listOperations({ paths }: ReferenceDocument): OperationAtPath[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
