import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import type { ServiceError } from "../domain/errors.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { Caller, Scope } from "../domain/key.ts";
import type { Page } from "../domain/page.ts";
import type { Delivery, NewDelivery, Webhook } from "../domain/webhook.ts";
import type { Store } from "../store/store.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventBatch } from "./events/read-events.ts";
import type { Export } from "./export.ts";
import { cursorField } from "./fields.ts";
import type { Complaint } from "./invalid-input.ts";
import { type Fields, type Filled, type JsonSchema, Nothing, type ObjectSchema, type Static } from "./schema.ts";

/** Every operation lives under this path, which carries the interface's major version. */
export const basePath = "/v1";

export type Stability = "stable" | "beta" | "experimental";

/** What operations are grouped by in the document. */
export const tags = {
  animals: "The animals of the store.",
  store: "Orders for animals, and how many animals there are.",
  categories: "Names for the categories of animals.",
  events: "What has happened in the store.",
  keys: "The API keys of the store.",
  webhooks: "Where the store sends its events to.",
} as const;

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
  Current extends object = object,
> {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base path; `/:name` stands for a parameter. */
  readonly path: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  readonly stability: Stability;
  readonly deprecated?: Deprecation;
  /** Whether body fields and query parameters that are not known are always refused, where a typo would do harm unseen. */
  readonly isStrict?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  /** Returns complaints about query parameters that are valid by themselves, but not together. */
  complain?(input: Pick<Input<Params, Query, Body>, "query" | "after" | "afterName">): readonly Complaint[];
  /** Whether the result is a page of a list. The rest of paging is the same for all lists. */
  readonly paged?: Paged;
  /** Whether the result is a batch of events, which clients read on from its cursor: again, by waiting for more, or as a stream. */
  readonly isFeed?: boolean;
  /** Whether the result is sent piece by piece, as it is read. */
  readonly isExport?: boolean;
  readonly body?: RequestBody<Body>;
  readonly success: Success<Result>;
  /** What the handler may throw, beyond what can befall any operation. */
  readonly errors: readonly ErrorCode[];
  /** Whether it makes what is not there, with 201, and replaces what is. */
  readonly replaces?: boolean;
  /**
   * Of a list: whether its pages may be kept in memory while the store says that they are fresh, which it knows of the animals
   * alone.
   */
  readonly isCached?: boolean;
  /** Of a list whose pages are kept: whether, with that query, what is added comes after everything else in it. */
  isAppended?(query: Input<Params, Query, Body>["query"]): boolean;
  /** Of a list: the parameter that names one item. Given alone, the page carries the item's own `ETag`. */
  readonly namedBy?: keyof Query & string;
  /** Of an operation that changes something: the current state, which `If-Match` and `If-None-Match` are compared with. */
  readonly current?: {
    read(input: Input<Params, Query, Body>, context: Context): Awaitable<Current | undefined>;
    /** As the operation that reads it shows it, if not as it is stored. */
    show?(current: Current, context: Context): object;
  };
  handle(
    input: Input<Params, Query, Body> & { readonly expected?: Expectation<Current> },
    context: Context,
  ): Awaitable<
    Paged extends true ? Page<ItemOf<Result>> : Static<Result> | Created<Static<Result>> | EventBatch | Export
  >;
}

export interface RequestBody<Schema extends ObjectSchema> {
  readonly schema: Schema;
  readonly examples: Examples;
  /** The media types that it is taken in, if not plain JSON alone. */
  readonly types?: readonly string[];
  /** Whether it may be left out, which is the same as an object without fields. */
  readonly isOptional?: boolean;
  /** How large it may be, if larger than bodies usually are. */
  readonly kibibytes?: number;
}

/** A parameter in the path of an operation. */
export const pathParameter = /(?<=\/):(\w+)/g;

/** What bodies are taken in unless an operation says otherwise. */
export const plainJson: readonly string[] = ["application/json"];

export interface Deprecation {
  /** The first day on which clients were told, and the last day on which it works, in UTC. */
  readonly since: string;
  readonly sunset: string;
  /** What to use instead, relative to the base path; `{name}` stands for a path parameter's value. */
  readonly successor: string;
}

export interface Success<Result extends JsonSchema> {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  readonly schema: Result;
  /** If it is not JSON. */
  readonly mediaType?: string;
  readonly examples: Examples;
  /** The other media types that it comes in, if the client asks for them. */
  readonly otherTypes?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples: Examples }>>;
  /** Of an operation that replaces: what is said with 201. */
  readonly created?: string;
  /** Whether the result is shown this once, so that it has no `ETag` to ask for it again. */
  readonly isSecret?: boolean;
  /** Whether the result tells what was done, and is nothing that could be read again: it has no `ETag` either. */
  readonly isReport?: boolean;
  /** The operation by which what was created can be read. */
  readonly location?: { readonly at: Operation; params(result: Static<Result>): Readonly<Record<string, Int64>> };
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Input<Params extends Fields, Query extends Fields, Body extends ObjectSchema> {
  readonly params: { readonly [Name in keyof Params]: Static<Params[Name]> };
  /** A parameter that has a default is always there. */
  readonly query: {
    readonly [Name in keyof Query]:
      | Static<Query[Name]>
      | (Query[Name] extends { default: unknown } ? never : undefined);
  };
  readonly body: Filled<Body>;
  /** Of a list: the id after which the page starts. */
  readonly after: Int64 | undefined;
  /** In a list by name, the folded name of the item with that id. */
  readonly afterName: string | undefined;
}

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly vault: Vault;
  readonly webhooks: WebhookDesk;
  /** Whether somebody still waits for the result, where it may take many steps. */
  readonly isAwaited?: () => boolean;
}

/** What of webhooks is not for the store: their secrets, and what is sent. */
export interface WebhookDesk {
  /** The secret as it is stored. Throws Conflict if the service has no key for it. */
  seal(secret: string): Promise<string>;
  /** Why nothing could ever be sent there, such as "must begin with https://."; undefined if it could. */
  complaintAboutUrl(url: string): string | undefined;
  /**
   * Sends a test event. `begin` writes down that it is under way; if that was done by an earlier request, what has come of that
   * one is returned. Throws Conflict if the event cannot be signed.
   */
  test(webhook: Webhook, eventId: string, begin: (delivery: NewDelivery) => Promise<Delivery>): Promise<Delivery>;
  /** Called when a webhook was changed, so that it takes effect at once. */
  changed(id: Int64): void;
}

/** Hides a text that is shown once, for those who repeat the request, so that only the caller's own key can open it. */
export interface Vault {
  /** Undefined if the request cannot be repeated: then there is nothing to be kept. */
  seal(text: string): Promise<string | undefined>;
  /** Undefined if it was sealed by another key, or in a way that is no longer in use. */
  open(sealed: string): Promise<string | undefined>;
}

/** For a request that cannot be repeated, nothing needs to be kept. */
export const noVault: Vault = {
  seal: async () => undefined,
  open: async () => undefined,
};

/** A result that was not there before, by an operation that may also replace. */
export class Created<Result> {
  constructor(readonly result: Result) {}
}

/** What an operation looks for, which must be there. Throws the error otherwise. */
export function found<Thing>(thing: Awaitable<Thing | undefined>, missing: () => ServiceError): Awaitable<Thing> {
  return mapAwaitable(thing, (there) => {
    if (there === undefined) throw missing();
    return there;
  });
}

/** Every query parameter of the operation, with those that all lists have. */
export function queryFields({ query = {}, paged }: Operation): Fields {
  return paged ? { ...query, cursor: cursorField } : query;
}

/** Every success that a call of the operation can end with. */
export function possibleSuccesses({ success }: Operation): { status: number; description: string }[] {
  const { status, description, created } = success;
  return [{ status, description }, ...(created ? [{ status: createdStatus, description: created }] : [])];
}

/** Whether the answer to the operation has a body. */
export function hasContent({ success }: Operation): boolean {
  return success.schema !== Nothing;
}

/** What an operation that may also replace answers with when nothing was there. */
export const createdStatus = 201;

/** Every error that a call of the operation can end with. */
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

/** Whether a request can be sent again under its `Idempotency-Key` and be done once; the other methods are so anyway. */
export function takesIdempotencyKey({ method }: Operation): boolean {
  return method === "POST";
}

/** Whether a client can ask whether what it has is still current. */
export function isRevalidated({ method, isExport }: Operation): boolean {
  return method === "GET" && !isExport;
}

/** What a GET answers with instead of a body that the client has already. */
export const notModified = {
  status: 304,
  meaning: "The representation that `If-None-Match` names is still current.",
} as const;

type ItemOf<Result> = Result extends { items: infer Item } ? Static<Item> : never;
