import type { Awaitable } from "../domain/awaitable.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { Scope } from "../domain/key.ts";
import type { Page } from "../domain/page.ts";
import type { Store } from "../store/store.ts";
import { cursorField } from "./fields.ts";
import type { Fields, JsonSchema, ObjectSchema, Static } from "./schema.ts";

/** Every operation lives under this path, which carries the interface's major version. */
export const basePath = "/v1";

export type Stability = "stable" | "beta" | "experimental";

/**
 * One operation of the interface, with everything there is to know about it. The route, the checks
 * of its input, its headers and its part of the OpenAPI document are all made from this.
 */
export interface Operation<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends ObjectSchema = ObjectSchema,
  Result extends JsonSchema = JsonSchema,
  Paged extends boolean = boolean,
> {
  readonly id: string;
  readonly method: "GET" | "POST";
  /** Relative to the base path; `:name` stands for a parameter. */
  readonly path: string;
  readonly tag: "animals";
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  readonly stability: Stability;
  readonly deprecated?: Deprecation;
  readonly params?: Params;
  readonly query?: Query;
  /** Whether the result is a page of a list. The rest of paging is the same for all lists. */
  readonly paged?: Paged;
  readonly body?: { readonly schema: Body; readonly examples: Examples };
  readonly success: Success<Result>;
  /** What the handler may throw, beyond what can befall any operation. */
  readonly errors: readonly ErrorCode[];
  handle(
    input: Input<Params, Query, Body>,
    context: Context,
  ): Awaitable<Paged extends true ? Page<ItemOf<Result>> : Static<Result>>;
}

export interface Deprecation {
  /** The first day on which clients were told, and the last day on which it works, in UTC. */
  readonly since: string;
  readonly sunset: string;
  /** What to use instead, relative to the base path; `{name}` stands for a path parameter's value. */
  readonly successor: string;
}

export interface Success<Result extends JsonSchema> {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: Result;
  readonly examples: Examples;
  /** Where what was created can be found, relative to the base path. */
  location?(result: Static<Result>): string;
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Input<Params extends Fields, Query extends Fields, Body extends ObjectSchema> {
  readonly params: { readonly [Name in keyof Params]: Static<Params[Name]> };
  readonly query: { readonly [Name in keyof Query]: Static<Query[Name]> | undefined };
  readonly body: Static<Body>;
  /** Of a list: the id behind which the page starts. */
  readonly after: number;
}

export interface Context {
  readonly store: Store;
}

/** Checks a definition against its own schemas, then lets it stand in the list beside the others. */
export function operation<
  const Params extends Fields,
  const Query extends Fields,
  Body extends ObjectSchema,
  Result extends JsonSchema,
  const Paged extends boolean = false,
>(definition: Operation<Params, Query, Body, Result, Paged>): Operation {
  return definition as unknown as Operation;
}

/** Every query parameter of the operation, with those that all lists have. */
export function queryFields({ query = {}, paged }: Operation): Fields {
  return paged ? { ...query, cursor: cursorField } : query;
}

/** Every error that a call of the operation can end with, in the order of their statuses. */
export function possibleErrors(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ["BadRequest", "Unauthorized", "InternalServerError", "ServiceUnavailable"];
  if (operation.scope !== "read") codes.push("Forbidden");
  if (operation.params) codes.push("NotFound");
  if (operation.body) codes.push("RequestTimeout", "PayloadTooLarge", "UnsupportedMediaType");
  if (operation.deprecated) codes.push("Gone");
  return [...new Set([...codes, ...operation.errors])];
}

/** What a GET answers with instead of a body that the client has already. */
export const notModified = {
  status: 304,
  meaning: "The representation that `If-None-Match` names is still current.",
} as const;

type ItemOf<Result> = Result extends { items: infer Item } ? Static<Item> : never;
