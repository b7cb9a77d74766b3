import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import type { ServiceError } from "../domain/errors.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { Caller, Scope } from "../domain/key.ts";
import type { Page } from "../domain/page.ts";
import type { Delivery, NewDelivery, Webhook } from "../domain/webhook.ts";
import type { ExportVisitor, Store } from "../store/store.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventBatch } from "./events/read-events.ts";
import { cursorField } from "./fields.ts";
import type { Complaint } from "./invalid-input.ts";
import { type Fields, type Filled, type JsonSchema, Nothing, type ObjectSchema, type Static } from "./schema.ts";

/** The base path of every operation, with the major version of the API. */
export const basePath = "/v1";

export type Stability = "stable" | "beta" | "experimental";

/** The groups of operations in the document. */
export const tags = {
  animals: "The animals of the store.",
  store: "Orders for animals, and how many animals there are.",
  categories: "Names for the categories of animals.",
  events: "What has happened in the store.",
  keys: "The API keys of the store.",
  webhooks: "Where the store sends its events to.",
} as const;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The contract and the handler of one operation. Its route, the validation of its input, its headers and its part of the OpenAPI
 * document are derived from this.
 */
export interface Definition<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends ObjectSchema = ObjectSchema,
  Result extends JsonSchema = JsonSchema,
  Paged extends boolean = boolean,
  Current extends object = object,
> {
  readonly id: string;
  /** The method, and the path relative to the base path, with parameters as `/:name`. */
  readonly endpoint: `${Method} /${string}`;
  readonly summary: string;
  readonly description: string;
  /** Default: admin for keys and webhooks; otherwise read for GET and write for other methods. */
  readonly scope?: Scope;
  /** Default: beta. */
  readonly stability?: Stability;
  readonly deprecated?: Deprecation;
  readonly params?: Params;
  readonly query?: Query;
  /** Returns complaints about query parameters that are valid alone but not together. */
  complain?(input: Pick<Input<Params, Query, Body>, "query" | "after" | "afterName">): readonly Complaint[];
  /** True if the result is a page of a list. */
  readonly isPaged?: Paged;
  /** True if the result is a batch of events, which clients follow by polling, by waiting or as a stream. */
  readonly isFeed?: boolean;
  /** True if the result is streamed while it is read. */
  readonly isExport?: boolean;
  readonly body?: RequestBody<Body>;
  readonly success: Success<Result>;
  /** The errors that only this operation has. Default: none. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Makes the pages of a list cached for as long as the store says that they are fresh, which it knows of animals alone. Returns
   * true if, with that query, new items come after all others.
   */
  isAppended?(query: Input<Params, Query, Body>["query"]): boolean;
  /** The parameter of a list that names one item. Given alone, the page carries the item's own `ETag`. */
  readonly namedBy?: keyof Query & string;
  /** The current state of what the operation changes, which `If-Match` and `If-None-Match` are compared with. */
  readonly current?: {
    read(input: Input<Params, Query, Body>, context: Context): Awaitable<Current | undefined>;
    /** Converts the state to the form in which clients read it, if that differs from the stored one. */
    show?(current: Current, context: Context): object;
  };
  handle(
    input: Input<Params, Query, Body> & { readonly expected?: Expectation<Current> },
    context: Context,
  ): Awaitable<
    Paged extends true ? Page<ItemOf<Result>> : Static<Result> | Created<Static<Result>> | EventBatch | Export
  >;
}

/** A definition with its defaults, and with what follows from its endpoint. */
export interface Operation extends Definition {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly tag: keyof typeof tags;
  readonly stability: Stability;
  /** True if unknown body fields and query parameters are always refused, because a typo would do harm unnoticed. */
  readonly isStrict: boolean;
  readonly success: Success<JsonSchema> & { readonly status: SuccessStatus };
  readonly errors: readonly ErrorCode[];
}

export interface RequestBody<Schema extends ObjectSchema> {
  readonly schema: Schema;
  readonly examples: Examples;
  /** Default: plain JSON alone. */
  readonly types?: readonly string[];
  /** True if an omitted body stands for an object without fields. */
  readonly isOptional?: boolean;
  /** Maximum size, if it exceeds the general one. */
  readonly kibibytes?: number;
}

/** A parameter in the path of an operation. */
export const pathParameter = /(?<=\/):(\w+)/g;

/** The default media types of bodies. */
export const plainJson: readonly string[] = ["application/json"];

export interface Deprecation {
  /** The first day on which clients were told, and the last day on which it works, in UTC. */
  readonly since: string;
  readonly sunset: string;
  /** The replacement, relative to the base path; `{name}` stands for a path parameter's value. */
  readonly successor: string;
}

export interface Success<Result extends JsonSchema> {
  /** Default: 200. */
  readonly status?: SuccessStatus;
  readonly description: string;
  readonly schema: Result;
  /** Default: JSON. */
  readonly mediaType?: string;
  readonly examples: Examples;
  /** Further media types, from which clients choose. */
  readonly otherTypes?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples: Examples }>>;
  /** The description of 201, by which an operation that replaces says that nothing was there. Other operations have none. */
  readonly created?: string;
  /** True if the result is shown only once; it has no `ETag`. */
  readonly isSecret?: boolean;
  /** True if the result is a report that cannot be read again; it has no `ETag`. */
  readonly isReport?: boolean;
  /** The operation that reads what was created. */
  readonly location?: { readonly at: Operation; params(result: Static<Result>): Readonly<Record<string, Int64>> };
}

type SuccessStatus = 200 | 201 | 204;

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Input<Params extends Fields, Query extends Fields, Body extends ObjectSchema> {
  readonly params: { readonly [Name in keyof Params]: Static<Params[Name]> };
  /** Parameters with a default are always present. */
  readonly query: {
    readonly [Name in keyof Query]:
      | Static<Query[Name]>
      | (Query[Name] extends { default: unknown } ? never : undefined);
  };
  readonly body: Filled<Body>;
  /** The id after which the page of a list starts. */
  readonly after: Int64 | undefined;
  /** The folded name of the item with that id, in a list by name. */
  readonly afterName: string | undefined;
}

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly vault: Vault;
  readonly webhooks: WebhookService;
  /** Returns false once the client has disconnected. */
  readonly isClientConnected?: () => boolean;
}

/** The part of webhooks that the store does not do: secrets, and sending. */
export interface WebhookService {
  /** Returns the secret in its stored form. Throws Conflict if the service has no key for secrets. */
  seal(secret: string): Promise<string>;
  /** Returns why no event could be sent to the URL, such as "must begin with https://."; undefined if one could. */
  complaintAboutUrl(url: string): string | undefined;
  /**
   * Sends a test event. `begin` records that it is pending. If an earlier request has done so, returns the result of that one.
   * Throws Conflict if the event cannot be signed.
   */
  test(webhook: Webhook, eventId: string, begin: (delivery: NewDelivery) => Promise<Delivery>): Promise<Delivery>;
  /** Applies a change of a webhook at once. */
  changed(id: Int64): void;
}

/** Encrypts secrets that a repeated request shows again, so that only the caller's own key can decrypt them. */
export interface Vault {
  /** Returns undefined if the request cannot be repeated. */
  seal(text: string): Promise<string | undefined>;
  /** Returns undefined if the text was sealed by another key, or in a way that is no longer in use. */
  open(sealed: string): Promise<string | undefined>;
}

/** The vault of requests that cannot be repeated. */
export const noVault: Vault = {
  seal: async () => undefined,
  open: async () => undefined,
};

/** The result of an operation that may also replace, if nothing was there. */
export class Created<Result> {
  constructor(readonly result: Result) {}
}

/** A result that is too large to be held: a visitor receives it piece by piece. */
export class Export {
  constructor(readonly run: (visitor: ExportVisitor) => Promise<void>) {}
}

/** Returns the thing, or throws the error if there is none. */
export function found<Thing>(thing: Awaitable<Thing | undefined>, missing: () => ServiceError): Awaitable<Thing> {
  return mapAwaitable(thing, (there) => {
    if (there === undefined) throw missing();
    return there;
  });
}

/** Returns the page with each item converted. */
export function presentPage<Item, Shown>(page: Awaitable<Page<Item>>, present: (item: Item) => Shown) {
  return mapAwaitable(page, ({ items, next }): Page<Shown> => ({ items: items.map(present), next }));
}

/** Returns every query parameter of the operation, with those that all lists have. */
export function queryFields({ query = {}, isPaged }: Operation): Fields {
  return isPaged ? { ...query, cursor: cursorField } : query;
}

export function hasContent({ success }: Operation): boolean {
  return success.schema !== Nothing;
}

/** The status of an operation that may also replace, if nothing was there. */
export const createdStatus = 201;

/** Returns every error that a call of the operation can end with. */
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

/** True if a request can be repeated under its `Idempotency-Key`. The other methods are idempotent by themselves. */
export function takesIdempotencyKey({ method }: Operation): boolean {
  return method === "POST";
}

/** True if clients can revalidate the result. */
export function isRevalidated({ method, isExport }: Operation): boolean {
  return method === "GET" && !isExport;
}

/** The response to a GET instead of a body that the client has already. */
export const notModified = {
  status: 304,
  meaning: "The representation that `If-None-Match` names is still current.",
} as const;

type ItemOf<Result> = Result extends { items: infer Item } ? Static<Item> : never;

export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < endOfService(deprecated);
}

/** Returns the end of the last day. */
export function endOfService({ sunset }: Deprecation): number {
  return Date.parse(sunset) + 24 * 60 * 60 * 1000;
}
