import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import { notFound } from "../domain/errors.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { Caller, Scope } from "../domain/key.ts";
import type { Page } from "../domain/page.ts";
import type { Delivery, NewDelivery, Webhook } from "../domain/webhook.ts";
import type { ExportVisitor, Store } from "../store/store.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventBatch } from "./events/read-events.ts";
import { cursorField } from "./fields.ts";
import type { Complaint } from "./invalid-input.ts";
import { type Fields, type JsonSchema, NoBody, type ObjectSchema, type Static, type WithDefaults } from "./schema.ts";

export const basePath = "/v1";

export type Stability = "stable" | "beta" | "experimental";

export const tags = {
  animals: "The animals of the store.",
  store: "Orders for animals, and how many animals there are.",
  categories: "Names for the categories of animals.",
  events: "What has happened in the store.",
  keys: "The API keys of the store.",
  webhooks: "The URLs to which the store sends its events.",
} as const;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An operation, from which its route, validation, headers and documentation are derived. */
export interface Definition<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends ObjectSchema = ObjectSchema,
  Result extends JsonSchema = JsonSchema,
  Paged extends boolean = boolean,
  Current extends object = object,
> {
  readonly id: string;
  /** The method and the path below the base path, with parameters as `/:name`. */
  readonly endpoint: `${Method} /${string}`;
  readonly summary: string;
  readonly description: string;
  /** Default: admin for keys and webhooks; otherwise read for GET and write for other methods. */
  readonly scope?: Scope;
  readonly stability?: Stability;
  readonly deprecated?: Deprecation;
  readonly params?: Params;
  readonly query?: Query;
  /** Finds query parameters that are valid individually, but not in combination. */
  complain?(input: Pick<Input<Params, Query, Body>, "query" | "after" | "afterName">): readonly Complaint[];
  readonly isPaged?: Paged;
  /** True if the result is a batch of events, which clients follow by polling, long polling or streaming. */
  readonly isFeed?: boolean;
  /** True if the result is streamed while the store reads it. */
  readonly isExport?: boolean;
  readonly body?: RequestBody<Body>;
  readonly success: Success<Result>;
  /** The errors in addition to those that `possibleErrors` derives from the definition. */
  readonly errors?: readonly ErrorCode[];
  /** Enables the page cache, which only works for animals. Returns true if the newest items come last in a list with this query. */
  isNewestLast?(query: Input<Params, Query, Body>["query"]): boolean;
  /** The state of the resource to change, against which `If-Match` and `If-None-Match` are checked. */
  readonly current?: {
    read(input: Input<Params, Query, Body>, context: Context): Awaitable<Current | undefined>;
    /** Converts the state to its form in the API. Default: both are the same. */
    show?(current: Current, context: Context): object;
  };
  handle(
    input: Input<Params, Query, Body> & { readonly expected?: Expectation<Current> },
    context: Context,
  ): Awaitable<
    Paged extends true ? Page<ItemOf<Result>> : Static<Result> | Created<Static<Result>> | EventBatch | Export
  >;
}

/** A definition with its defaults and the values derived from its endpoint. */
export interface Operation extends Definition {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly tag: keyof typeof tags;
  readonly stability: Stability;
  /** True if unknown fields and parameters are rejected even without `Prefer: handling=strict`. */
  readonly isStrict: boolean;
  readonly success: Success<JsonSchema> & { readonly status: SuccessStatus };
  readonly errors: readonly ErrorCode[];
}

export interface RequestBody<Schema extends ObjectSchema> {
  readonly schema: Schema;
  readonly examples: Examples;
  readonly types?: readonly string[];
  /** True if a missing body is treated as an empty object. */
  readonly isOptional?: boolean;
  /** Maximum size. Default: that of `bodyLimits`. */
  readonly kibibytes?: number;
}

export const pathParameter = /(?<=\/):(\w+)/g;

export const defaultBodyTypes: readonly string[] = ["application/json"];

export interface Deprecation {
  /** The first day of the deprecation, in UTC. */
  readonly since: string;
  /** The last day on which the operation works, in UTC. */
  readonly sunset: string;
  /** The replacement, relative to the base path; `{name}` stands for the value of a path parameter. */
  readonly successor: string;
}

export interface Success<Result extends JsonSchema> {
  readonly status?: SuccessStatus;
  readonly description: string;
  readonly schema: Result;
  readonly mediaType?: string;
  readonly examples: Examples;
  /** Media types that clients select with `Accept`. */
  readonly otherTypes?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples: Examples }>>;
  /** Describes the 201 of a PUT that has created the resource. */
  readonly created?: string;
  /** True if the result contains a secret that is shown only once. The response then has no `ETag`. */
  readonly isSecret?: boolean;
  /** True if no request can read the result again. The response then has no `ETag`. */
  readonly isReport?: boolean;
  readonly location?: { readonly at: Operation; params(result: Static<Result>): Readonly<Record<string, Int64>> };
}

type SuccessStatus = 200 | 201 | 204;

export type Examples = Readonly<Record<string, readonly [summary: string, value: unknown]>>;

export interface Input<Params extends Fields, Query extends Fields, Body extends ObjectSchema> {
  readonly params: { readonly [Name in keyof Params]: Static<Params[Name]> };
  /** Parameters with a default are always present. */
  readonly query: {
    readonly [Name in keyof Query]:
      | Static<Query[Name]>
      | (Query[Name] extends { default: unknown } ? never : undefined);
  };
  readonly body: WithDefaults<Body>;
  /** In a list, the id of the last item before the requested page. */
  readonly after: Int64 | undefined;
  /** In a list by name, the folded name of the last item before the requested page. */
  readonly afterName: string | undefined;
}

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly vault: Vault;
  readonly webhooks: WebhookService;
  readonly isClientConnected?: () => boolean;
}

/** The parts of webhooks that the store does not handle: encryption of secrets, and delivery. */
export interface WebhookService {
  seal(secret: string): Promise<string>;
  /** Returns the reason why events cannot be sent to the URL, such as "must begin with https://.". */
  findUrlComplaint(url: string): string | undefined;
  /** Sends a test event after `begin` has recorded it. Returns the stored result if an earlier request has sent the event. */
  test(webhook: Webhook, eventId: string, begin: (delivery: NewDelivery) => Promise<Delivery>): Promise<Delivery>;
  /** Makes a stored change of a webhook take effect immediately. */
  applyChange(id: Int64): void;
}

/** Encrypts secrets for one API key, so that the response to a request that repeats an earlier one can show them again. */
export interface Vault {
  /** Returns undefined for a request without `Idempotency-Key`, whose response is never repeated. */
  seal(text: string): Promise<string | undefined>;
  /** Returns undefined if the text was encrypted for another API key. */
  open(sealed: string): Promise<string | undefined>;
}

export const noVault: Vault = { seal: async () => undefined, open: async () => undefined };

export class Created<Result> {
  constructor(readonly result: Result) {}
}

/** A result that does not fit in memory: `run` passes it to the visitor in chunks. */
export class Export {
  constructor(readonly run: (visitor: ExportVisitor) => Promise<void>) {}
}

export function requireFound<Resource>(
  resource: Awaitable<Resource | undefined>,
  ...[noun, id]: Parameters<typeof notFound>
): Awaitable<Resource> {
  return mapAwaitable(resource, (found) => {
    if (found === undefined) throw notFound(noun, id);
    return found;
  });
}

export function presentPage<Item, Shown>(page: Awaitable<Page<Item>>, present: (item: Item) => Shown) {
  return mapAwaitable(page, ({ items, next }): Page<Shown> => ({ items: items.map(present), next }));
}

export function queryFields({ query = {}, isPaged }: Operation): Fields {
  return isPaged ? { ...query, cursor: cursorField } : query;
}

export function hasContent({ success }: Operation): boolean {
  return success.schema !== NoBody;
}

export const createdStatus = 201;

export function possibleErrors(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [
    "BadRequest",
    "Unauthorized",
    "PreconditionFailed",
    "TooManyRequests",
    "InternalServerError",
    "ServiceUnavailable",
  ];
  if (operation.scope !== "read") codes.push("Forbidden");
  if (operation.params) codes.push("NotFound");
  if (operation.method !== "GET") codes.push("InsufficientStorage");
  if (operation.body) codes.push("RequestTimeout", "PayloadTooLarge", "UnsupportedMediaType");
  if (takesIdempotencyKey(operation)) codes.push("Conflict", "UnprocessableContent");
  if (operation.deprecated) codes.push("Gone");
  return [...new Set([...codes, ...operation.errors])];
}

/** True for POST, the only method in this API that is not idempotent by itself. */
export function takesIdempotencyKey({ method }: Operation): boolean {
  return method === "POST";
}

export function canBeRevalidated({ method, isExport }: Operation): boolean {
  return method === "GET" && !isExport;
}

export const notModified = {
  status: 304,
  meaning: "The representation that `If-None-Match` names is still current.",
} as const;

type ItemOf<Result> = Result extends { items: infer Item } ? Static<Item> : never;

export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < endOfService(deprecated);
}

export function endOfService({ sunset }: Deprecation): number {
  return Date.parse(sunset) + 24 * 60 * 60 * 1000;
}
